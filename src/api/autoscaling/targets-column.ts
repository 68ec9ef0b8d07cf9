/** The cell that says how each metric of an autoscaler stands. */
import { deepCopy } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ApiObject } from '../../meta/object.ts';
import { asJson } from '../../meta/object.ts';
import { v2beta2FromStorage } from './v2-conversion.ts';
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from './v2beta2.types.ts';

const shown = 2;
const unknown = '<unknown>';

/** `20%/80%, 3/10 (avg)`; the first two of more. */
export function targetsText(object: ApiObject, naming: NamingProfile): string {
  const full = v2beta2FromStorage(deepCopy(asJson(object)), naming) as unknown as HorizontalPodAutoscaler;
  const metrics = full.spec?.metrics ?? [];
  if (metrics.length === 0) return '<none>';
  const all = metrics.map((metric, i) => metricText(metric, full.status?.currentMetrics?.[i]));
  const first = all.slice(0, shown).join(', ');
  return all.length > shown ? `${first} + ${String(all.length - shown)} more...` : first;
}

type MetricText = (metric: MetricSpec, status: MetricStatus | undefined) => string;

const texts: Readonly<Record<string, MetricText>> = {
  Pods: ({ pods }, status) => amounts(status?.pods?.current?.averageValue, pods?.target?.averageValue),
  Object: ({ object }, status) => valueOrAverage(object?.target, status?.object?.current),
  External: ({ external }, status) => valueOrAverage(external?.target, status?.external?.current),
  Resource: ({ resource }, status) => resourceText(resource?.target, status?.resource?.current),
  ContainerResource: ({ containerResource }, status) =>
    resourceText(containerResource?.target, status?.containerResource?.current),
};

function metricText(metric: MetricSpec, status: MetricStatus | undefined): string {
  const text = Object.hasOwn(texts, metric.type ?? '') ? texts[metric.type ?? ''] : undefined;
  return text?.(metric, status) ?? '<unknown type>';
}

function amounts(current: string | undefined, target: string | undefined, suffix = ''): string {
  return `${current ?? unknown}/${target ?? unknown}${suffix}`;
}

function valueOrAverage(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  return target?.averageValue === undefined
    ? amounts(current?.value, target?.value)
    : amounts(current?.averageValue, target.averageValue, ' (avg)');
}

function resourceText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return amounts(current?.averageValue, target.averageValue);
  const share = current?.averageUtilization;
  const wanted = target?.averageUtilization;
  return `${share == null ? unknown : `${String(share)}%`}/${wanted == null ? '<auto>' : `${String(wanted)}%`}`;
}
