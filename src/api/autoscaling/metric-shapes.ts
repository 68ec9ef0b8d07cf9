/** Metrics of autoscalers in their two shapes: flat (v1 annotations, v2beta1) and with targets (v2beta2). */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';

type Convert = (source: JsonObject) => JsonObject;
type BySource = Readonly<Record<string, Convert>>;

/** An object of the members that are there. */
function compact(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const result: JsonObject = {};
  for (const [name, value] of Object.entries(members))
    if (value !== undefined && value !== null) result[name] = value;
  return result;
}

function part(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** Amounts that are zero where another one counts are those that the flat shape cannot leave out. */
function unlessZeroBeside(value: JsonValue | undefined, other: JsonValue | undefined): JsonValue | undefined {
  return value === '0' && other != null ? undefined : value;
}

const specToFlat: BySource = {
  resource: ({ name, target }) => compact({ name, ...flatResourceTarget(target) }),
  containerResource: ({ name, container, target }) =>
    compact({ name, ...flatResourceTarget(target), container }),
  pods: ({ metric, target }) => {
    const { name, selector } = part(metric);
    return compact({ metricName: name, targetAverageValue: part(target)['averageValue'], selector });
  },
  object: ({ describedObject, metric, target }) => {
    const { name, selector } = part(metric);
    const { value, averageValue } = part(target);
    return compact({ target: describedObject, metricName: name, targetValue: value, selector, averageValue });
  },
  external: ({ metric, target }) => {
    const { name, selector } = part(metric);
    const { value, averageValue } = part(target);
    return compact({
      metricName: name,
      metricSelector: selector,
      targetValue: value,
      targetAverageValue: averageValue,
    });
  },
};

function flatResourceTarget(target: JsonValue | undefined): Record<string, JsonValue | undefined> {
  const { averageUtilization, averageValue } = part(target);
  return { targetAverageUtilization: averageUtilization, targetAverageValue: averageValue };
}

const specFromFlat: BySource = {
  resource: ({ name, ...rest }) => compact({ name, target: resourceTarget(rest) }),
  containerResource: ({ name, container, ...rest }) =>
    compact({ name, target: resourceTarget(rest), container }),
  pods: ({ metricName, targetAverageValue, selector }) => ({
    metric: compact({ name: metricName, selector }),
    target: compact({ type: 'AverageValue', averageValue: targetAverageValue }),
  }),
  object: ({ target, metricName, targetValue, selector, averageValue }) => ({
    describedObject: part(target),
    target: compact({
      type: averageValue == null ? 'Value' : 'AverageValue',
      value: unlessZeroBeside(targetValue, averageValue),
      averageValue,
    }),
    metric: compact({ name: metricName, selector }),
  }),
  external: ({ metricName, metricSelector, targetValue, targetAverageValue }) => ({
    metric: compact({ name: metricName, selector: metricSelector }),
    target: compact({
      type: targetValue == null ? 'AverageValue' : 'Value',
      value: targetValue,
      averageValue: targetAverageValue,
    }),
  }),
};

function resourceTarget({ targetAverageUtilization, targetAverageValue }: JsonObject): JsonObject {
  return compact({
    type: targetAverageUtilization == null ? 'AverageValue' : 'Utilization',
    averageValue: targetAverageValue,
    averageUtilization: targetAverageUtilization,
  });
}

const statusToFlat: BySource = {
  resource: ({ name, current }) => compact({ name, ...flatResourceCurrent(current) }),
  containerResource: ({ name, container, current }) =>
    compact({ name, ...flatResourceCurrent(current), container }),
  pods: ({ metric, current }) => {
    const { name, selector } = part(metric);
    return compact({ metricName: name, currentAverageValue: part(current)['averageValue'], selector });
  },
  object: ({ describedObject, metric, current }) => {
    const { name, selector } = part(metric);
    const { value, averageValue } = part(current);
    return compact({
      target: describedObject,
      metricName: name,
      currentValue: value,
      selector,
      averageValue,
    });
  },
  external: ({ metric, current }) => {
    const { name, selector } = part(metric);
    const { value, averageValue } = part(current);
    return compact({
      metricName: name,
      metricSelector: selector,
      currentValue: value,
      currentAverageValue: averageValue,
    });
  },
};

function flatResourceCurrent(current: JsonValue | undefined): Record<string, JsonValue | undefined> {
  const { averageUtilization, averageValue } = part(current);
  return { currentAverageUtilization: averageUtilization, currentAverageValue: averageValue };
}

const statusFromFlat: BySource = {
  resource: ({ name, ...rest }) => compact({ name, current: resourceCurrent(rest) }),
  containerResource: ({ name, container, ...rest }) =>
    compact({ name, current: resourceCurrent(rest), container }),
  pods: ({ metricName, currentAverageValue, selector }) => ({
    metric: compact({ name: metricName, selector }),
    current: compact({ averageValue: currentAverageValue }),
  }),
  object: ({ target, metricName, currentValue, selector, averageValue }) => ({
    metric: compact({ name: metricName, selector }),
    current: compact({ value: currentValue, averageValue }),
    describedObject: part(target),
  }),
  external: ({ metricName, metricSelector, currentValue, currentAverageValue }) => ({
    metric: compact({ name: metricName, selector: metricSelector }),
    current: compact({ value: currentValue, averageValue: currentAverageValue }),
  }),
};

function resourceCurrent({ currentAverageUtilization, currentAverageValue }: JsonObject): JsonObject {
  return compact({ averageValue: currentAverageValue, averageUtilization: currentAverageUtilization });
}

function changeList(bySource: BySource): (list: readonly JsonValue[]) => JsonObject[] {
  return (list) =>
    list.filter(isObject).map((metric) => {
      const result: JsonObject = typeof metric['type'] === 'string' ? { type: metric['type'] } : {};
      for (const [source, convert] of Object.entries(bySource)) {
        const value = metric[source];
        if (isObject(value)) result[source] = convert(value);
      }
      return result;
    });
}

/** Wanted metrics, v2beta2 → flat. */
export const flatSpecs = changeList(specToFlat);
/** Wanted metrics, flat → v2beta2. */
export const targetSpecs = changeList(specFromFlat);
/** Observed metrics, v2beta2 → flat. */
export const flatStatuses = changeList(statusToFlat);
/** Observed metrics, flat → v2beta2. */
export const targetStatuses = changeList(statusFromFlat);
