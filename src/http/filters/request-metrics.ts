/** Counts and times every request when its response is complete; maintains the in-flight gauges. */
import type { HistogramSeries, NumberSeries } from '../../observe/metric-series.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { RequestContext } from '../request-context.ts';
import type { Step } from './step.ts';

const component = 'apiserver';

/** Names of verbs in metrics. */
const metricVerbs: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
};
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);

interface Series {
  readonly duration: HistogramSeries;
  /** By status code and content type. */
  readonly totals: Map<string, NumberSeries>;
}

export function withRequestMetrics(metrics: ServerMetrics): Step {
  const seriesByKey = new Map<string, Series>();
  const mutating = metrics.currentInflight.series({ request_kind: 'mutating' });
  const readOnly = metrics.currentInflight.series({ request_kind: 'readOnly' });
  const seriesOf = (context: RequestContext): Series => {
    const key = seriesKey(context);
    let series = seriesByKey.get(key);
    if (!series) {
      series = { duration: metrics.requestDuration.series(labelsOf(context)), totals: new Map() };
      seriesByKey.set(key, series);
    }
    return series;
  };
  const finish = (context: RequestContext): void => {
    const series = seriesOf(context);
    const code = String(context.res.statusCode);
    const contentType = context.answeredType;
    const key = `${code} ${contentType}`;
    let total = series.totals.get(key);
    if (!total) {
      total = metrics.requestTotal.series({ ...labelsOf(context), code, contentType });
      series.totals.set(key, total);
    }
    total.add();
    if (!context.longRunning) series.duration.observe((performance.now() - context.startedAt) / 1_000);
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
  const common = { verb: verbOf(context), dry_run: context.dryRun ? 'All' : '', component };
  if (!resource) return common;
  return {
    ...common,
    group: resource.gvr.group,
    version: resource.gvr.version,
    resource: resource.gvr.resource,
    subresource: knownSubresource(context),
    scope: info.namespace === '' ? 'cluster' : 'namespace',
  };
}

function seriesKey(context: RequestContext): string {
  const { info, resource } = context;
  const dryRun = context.dryRun ? 'd' : '';
  if (!resource) return `${verbOf(context)} ${dryRun}`;
  const { group, version, resource: plural } = resource.gvr;
  const scope = info.namespace === '' ? 'c' : 'n';
  return `${info.verb} ${dryRun} ${scope} ${group}/${version}/${plural}/${knownSubresource(context)}`;
}

function verbOf({ info, req }: RequestContext): string {
  if (info.isResourceRequest) return metricVerbs[info.verb] ?? 'other';
  const method = req.method ?? '';
  return methods.has(method) ? method : 'other';
}

function knownSubresource({ info, resource }: RequestContext): string {
  return info.subresource !== '' && resource?.subresource(info.subresource) ? info.subresource : '';
}
