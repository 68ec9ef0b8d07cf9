/** Autoscalers of v2beta1 and v2beta2 as v1 stores them, and back. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import {
  capitalised,
  fieldFromAnnotation,
  setFieldAnnotation,
  uncapitalised,
} from './autoscaler-annotations.ts';
import type { CarriedField } from './autoscaler-annotations.ts';
import { flatSpecs, flatStatuses, targetSpecs, targetStatuses } from './metric-shapes.ts';

function part(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}

function list(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The one metric that v1 has a field for. */
function isCpu(metric: JsonObject, field: string): boolean {
  const resource = part(metric, 'resource');
  return metric['type'] === 'Resource' && resource['name'] === 'cpu' && resource[field] != null;
}

const wantedCpu = 'targetAverageUtilization';
const currentCpu = 'currentAverageUtilization';

/** The first CPU target gets the field, everything else is carried. */
export function v2beta1ToStorage(object: JsonObject, naming: NamingProfile): JsonObject {
  const { metrics, ...spec } = part(object, 'spec');
  const { currentMetrics, conditions, ...status } = part(object, 'status');
  const wanted = list(metrics);
  const cpu = wanted.find((metric) => isCpu(metric, wantedCpu));
  const others = wanted.filter((metric) => metric !== cpu);
  const observed = list(currentMetrics);
  const seen = observed.find((metric) => isCpu(metric, currentCpu));
  carry(object, 'metrics', others, naming);
  carry(object, 'current-metrics', isGivenByCpuField(observed, seen) ? [] : observed, naming);
  carry(object, 'conditions', list(conditions), naming);
  return {
    ...object,
    spec: { ...spec, ...(cpu && { targetCPUUtilizationPercentage: part(cpu, 'resource')[wantedCpu] ?? 0 }) },
    status: {
      ...status,
      ...(seen && { currentCPUUtilizationPercentage: part(seen, 'resource')[currentCpu] ?? 0 }),
    },
  };
}

function carry(object: JsonObject, name: CarriedField, value: JsonObject[], naming: NamingProfile): void {
  setFieldAnnotation(object, value.length > 0 ? value : undefined, { name, naming });
}

/** Nothing is observed but the share of the CPU, which has a field. */
function isGivenByCpuField(observed: readonly JsonObject[], cpu: JsonObject | undefined): boolean {
  if (!cpu || observed.length !== 1) return false;
  const { currentAverageValue = '0' } = part(cpu, 'resource');
  return Object.keys(cpu).length === 2 && currentAverageValue === '0';
}

export function v2beta1FromStorage(object: JsonObject, naming: NamingProfile): JsonObject {
  const { targetCPUUtilizationPercentage: cpu, ...spec } = part(object, 'spec');
  const { currentCPUUtilizationPercentage: seen, ...status } = part(object, 'status');
  const others = targetless(fieldFromAnnotation(object, 'metrics', naming), specRoundTrip);
  const observed = targetless(fieldFromAnnotation(object, 'current-metrics', naming), statusRoundTrip);
  const conditions = list(fieldFromAnnotation(object, 'conditions', naming));
  for (const name of ['metrics', 'current-metrics', 'conditions'] as const)
    setFieldAnnotation(object, undefined, { name, naming });
  const metrics = [...others, ...(cpu == null ? [] : [cpuMetric(wantedCpu, cpu)])];
  const currentMetrics = observed.length > 0 || seen == null ? observed : [cpuMetric(currentCpu, seen)];
  return {
    ...object,
    spec: { ...spec, ...(metrics.length > 0 && { metrics }) },
    status: {
      ...status,
      ...(currentMetrics.length > 0 && { currentMetrics }),
      ...(conditions.length > 0 && { conditions }),
    },
  };
}

function cpuMetric(field: string, value: JsonValue): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', [field]: value } };
}

type ListChange = (value: readonly JsonValue[]) => JsonObject[];

const specRoundTrip: ListChange = (value) => flatSpecs(targetSpecs(value));
const statusRoundTrip: ListChange = (value) => flatStatuses(targetStatuses(value));

/** Users may write annotations, so only valid fields of metrics are taken from them. */
function targetless(value: JsonValue | undefined, clean: ListChange): JsonObject[] {
  return clean(list(value));
}

/** v2beta2: other shapes of metrics, and behaviours. */
export function v2beta2ToStorage(object: JsonObject, naming: NamingProfile): JsonObject {
  const { behavior, ...spec } = part(object, 'spec');
  const status = part(object, 'status');
  const flat: JsonObject = {
    ...object,
    spec: { ...spec, metrics: flatSpecs(list(spec['metrics'])) },
    status: { ...status, currentMetrics: flatStatuses(list(status['currentMetrics'])) },
  };
  const text = isObject(behavior) ? capitalised(behavior) : undefined;
  setFieldAnnotation(flat, text, { name: 'behavior', naming });
  return v2beta1ToStorage(flat, naming);
}

export function v2beta2FromStorage(object: JsonObject, naming: NamingProfile): JsonObject {
  const flat = v2beta1FromStorage(object, naming);
  const spec = part(flat, 'spec');
  const status = part(flat, 'status');
  const metrics = targetSpecs(list(spec['metrics']));
  const currentMetrics = targetStatuses(list(status['currentMetrics']));
  const behavior = fieldFromAnnotation(flat, 'behavior', naming);
  if (isObject(behavior)) setFieldAnnotation(flat, undefined, { name: 'behavior', naming });
  return {
    ...flat,
    spec: {
      ...spec,
      ...(metrics.length > 0 && { metrics }),
      ...(isObject(behavior) && { behavior: uncapitalised(behavior) }),
    },
    status: { ...status, ...(currentMetrics.length > 0 && { currentMetrics }) },
  };
}
