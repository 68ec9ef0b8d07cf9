/** Counts and times every request when its response is complete; maintains the in-flight gauges. */
import type { GroupVersionResource } from '../../meta/gvk.ts';
import type { HistogramFamily, HistogramSeries, Labels, NumberSeries } from '../../observe/metric-series.ts';
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

/** Which resources there are, so that those that are gone leave no series behind. */
export interface MeasuredResources {
  readonly isServed: (gvr: GroupVersionResource) => boolean;
  /** Calls back with what is gone, or has changed, as `group/version/plural`. Absent: nothing ever is. */
  readonly onGone?: ((listener: (gone: ReadonlySet<string>) => void) => void) | undefined;
}

interface Series {
  readonly labels: Labels;
  /** Undefined if the resource is gone: requests in flight end later, and their series are no longer exposed. */
  readonly listed: true | undefined;
  readonly duration: HistogramSeries;
  readonly sli: HistogramSeries;
  /** Of reads. */
  readonly sizes: HistogramSeries | undefined;
  /** By status code. */
  readonly totals: Map<number, NumberSeries>;
}

/** The series of requests: by resource, and by all else that tells them apart. */
class RequestSeries {
  readonly #metrics: ServerMetrics;
  readonly #resources: MeasuredResources | undefined;
  readonly #known = new Map<string, Map<string, Series>>();

  constructor(metrics: ServerMetrics, resources: MeasuredResources | undefined) {
    this.#metrics = metrics;
    this.#resources = resources;
    resources?.onGone?.((gone) => {
      for (const key of gone) this.#forget(key);
    });
  }

  of(context: RequestContext): Series {
    const key = resourceKey(context);
    const rest = requestKey(context);
    return this.#known.get(key)?.get(rest) ?? this.#begin(context, key, rest);
  }

  total(series: Series, statusCode: number): NumberSeries {
    let total = series.totals.get(statusCode);
    if (!total) {
      const labels = { ...series.labels, code: String(statusCode) };
      const { requestTotal } = this.#metrics;
      total = series.listed ? requestTotal.series(labels) : requestTotal.unlisted(labels);
      series.totals.set(statusCode, total);
    }
    return total;
  }

  #begin(context: RequestContext, key: string, rest: string): Series {
    const { resource, info } = context;
    const isGone = resource !== undefined && this.#resources?.isServed(resource.gvr) === false;
    const labels = labelsOf(context);
    const of = (family: HistogramFamily): HistogramSeries =>
      isGone ? family.unlisted(labels) : family.series(labels);
    const series: Series = {
      labels,
      listed: isGone ? undefined : true,
      duration: of(this.#metrics.requestDuration),
      sli: of(this.#metrics.requestSli),
      sizes: sizedVerbs.has(info.verb) ? of(this.#metrics.responseSizes) : undefined,
      totals: new Map(),
    };
    if (isGone) return series;
    const known = this.#known.get(key);
    if (known) known.set(rest, series);
    else this.#known.set(key, new Map([[rest, series]]));
    return series;
  }

  /** Definitions come and go: without this, their series would be more and more. */
  #forget(key: string): void {
    const [group = '', version = '', resource = ''] = key.split('/');
    if (this.#resources?.isServed({ group, version, resource })) return;
    const { requestDuration, requestSli, responseSizes, requestTotal } = this.#metrics;
    for (const { labels, totals } of this.#known.get(key)?.values() ?? []) {
      for (const family of [requestDuration, requestSli, responseSizes]) family.forget(labels);
      for (const code of totals.keys()) requestTotal.forget({ ...labels, code: String(code) });
    }
    this.#known.delete(key);
  }
}

export function withRequestMetrics(metrics: ServerMetrics, resources?: MeasuredResources): Step {
  const known = new RequestSeries(metrics, resources);
  const mutating = metrics.currentInflight.series({ request_kind: 'mutating' });
  const readOnly = metrics.currentInflight.series({ request_kind: 'readOnly' });
  const finish = (context: RequestContext): void => {
    const series = known.of(context);
    known.total(series, context.res.statusCode).add();
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

/** `group/version/plural`; '' of requests for no resource. */
function resourceKey({ resource }: RequestContext): string {
  if (!resource) return '';
  const { group, version, resource: plural } = resource.gvr;
  return `${group}/${version}/${plural}`;
}

function requestKey(context: RequestContext): string {
  const dryRun = context.dryRun ? 'd' : '';
  if (!context.resource) return `${verbOf(context)} ${dryRun} ${context.route}`;
  return `${verbOf(context)} ${dryRun} ${scopeOf(context.info)} ${knownSubresource(context)}`;
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
