/** Counts and times every request when its response is complete; maintains the in-flight gauges. */
import type { HistogramSeries, NumberSeries } from '../../observe/metric-series.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { RequestContext } from '../request-context.ts';
import type { Step } from './step.ts';

const component = 'apiserver';
const applyType = 'application/apply-patch+';

/** Names of verbs in metrics: methods, of which GET is told from LIST and WATCH, and PATCH from APPLY. */
const metricVerbs: ReadonlyMap<string, string> = new Map([
  ['get', 'GET'],
  ['list', 'LIST'],
  ['watch', 'WATCH'],
  ['create', 'POST'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETE'],
]);
const methods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const sizedVerbs: ReadonlySet<string> = new Set(['get', 'list']);
const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);

interface Series {
  readonly duration: HistogramSeries;
  readonly sli: HistogramSeries;
  /** Of reads. */
  readonly sizes: HistogramSeries | undefined;
  /** By status code. */
  readonly totals: Map<number, NumberSeries>;
}

export function withRequestMetrics(metrics: ServerMetrics): Step {
  const seriesByKey = new Map<string, Series>();
  const mutating = metrics.currentInflight.series({ request_kind: 'mutating' });
  const readOnly = metrics.currentInflight.series({ request_kind: 'readOnly' });
  const seriesOf = (context: RequestContext): Series => {
    const key = seriesKey(context);
    let series = seriesByKey.get(key);
    if (!series) {
      const labels = labelsOf(context);
      const isSized = sizedVerbs.has(context.info.verb);
      series = {
        duration: metrics.requestDuration.series(labels),
        sli: metrics.requestSli.series(labels),
        sizes: isSized ? metrics.responseSizes.series(labels) : undefined,
        totals: new Map(),
      };
      seriesByKey.set(key, series);
    }
    return series;
  };
  const finish = (context: RequestContext): void => {
    const series = seriesOf(context);
    const { statusCode } = context.res;
    let total = series.totals.get(statusCode);
    if (!total) {
      total = metrics.requestTotal.series({ ...labelsOf(context), code: String(statusCode) });
      series.totals.set(statusCode, total);
    }
    total.add();
    if (context.longRunning) return;
    const tookMs = context.phase.clock.monotonic() - context.startedAt;
    series.duration.observe(tookMs / 1_000);
    series.sli.observe((tookMs - context.waitedMs) / 1_000);
    series.sizes?.observe(context.answeredBytes);
  };
  return function requestMetrics(context: RequestContext): void {
    const inflight = isReadOnly(context) ? readOnly : mutating;
    if (!context.longRunning) inflight.add();
    context.onClose(() => {
      if (!context.longRunning) inflight.add(-1);
      finish(context);
    });
  };
}

/** Whether a request is counted as non-mutating. */
export function isReadOnly({ info }: RequestContext): boolean {
  return readVerbs.has(info.verb);
}

/**
 * Labels are names of existing resources, never text of clients: random paths would grow the metrics without bound.
 */
export function labelsOf(context: RequestContext): Record<string, string> {
  const { info, resource } = context;
  const common = { verb: verbOf(context), dry_run: context.dryRun ? 'All' : '' };
  if (!resource) return { ...common, subresource: context.route };
  return {
    ...{ ...common, component },
    group: resource.gvr.group,
    version: resource.gvr.version,
    resource: resource.gvr.resource,
    subresource: knownSubresource(context),
    scope: scopeOf(info),
  };
}

function seriesKey(context: RequestContext): string {
  const { info, resource } = context;
  const dryRun = context.dryRun ? 'd' : '';
  if (!resource) return `${verbOf(context)} ${dryRun} ${context.route}`;
  const { group, version, resource: plural } = resource.gvr;
  return `${verbOf(context)} ${dryRun} ${scopeOf(info)} ${group}/${version}/${plural}/${knownSubresource(context)}`;
}

/** What a request is about: one object, those of a namespace, or all. */
function scopeOf({ name, namespace, verb }: RequestContext['info']): 'resource' | 'namespace' | 'cluster' {
  if (name !== '' || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

function verbOf(context: RequestContext): string {
  const { info, req } = context;
  if (info.verb === 'patch' && context.header('content-type').startsWith(applyType)) return 'APPLY';
  if (info.isResourceRequest) return metricVerbs.get(info.verb) ?? 'other';
  const method = req.method === 'HEAD' ? 'GET' : (req.method ?? '');
  return methods.has(method) ? method : 'other';
}

function knownSubresource({ info, resource }: RequestContext): string {
  return info.subresource !== '' && resource?.subresource(info.subresource) ? info.subresource : '';
}
