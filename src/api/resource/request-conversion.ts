/**
 * Version v1beta1 of the group keeps what is wanted of a device beside the name of the request, and what a device is in
 * a member `basic`; later versions have `exactly`, and a device's facts in the device itself (KEP-4381).
 */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';

const wanted = [
  'deviceClassName',
  'selectors',
  'allocationMode',
  'count',
  'adminAccess',
  'tolerations',
  'capacity',
] as const;

/** A claim or a template of v1beta1 in the stored version. */
export function claimToStorage(object: JsonObject): JsonObject {
  return withRequests(object, (request) => {
    const { rest, chosen } = divided(request, wanted);
    return Object.keys(chosen).length > 0 ? { ...rest, exactly: chosen } : rest;
  });
}

export function claimFromStorage(object: JsonObject): JsonObject {
  return withRequests(object, (request) => {
    const { exactly, ...rest } = request;
    return isObject(exactly) ? { ...rest, ...exactly } : rest;
  });
}

/** A slice of v1beta1 in the stored version. */
export function sliceToStorage(object: JsonObject): JsonObject {
  return withDevices(object, ({ basic, ...rest }) => (isObject(basic) ? { ...rest, ...basic } : rest));
}

export function sliceFromStorage(object: JsonObject): JsonObject {
  return withDevices(object, ({ name, ...basic }) => ({ ...(name !== undefined && { name }), basic }));
}

/** A slice of v1alpha3: as in v1beta1, but that a capacity is the amount itself, without what may be asked of it. */
export function formerSliceToStorage(object: JsonObject): JsonObject {
  return withDevices(sliceToStorage(object), ({ capacity, ...rest }) =>
    isObject(capacity)
      ? {
          ...rest,
          capacity: Object.fromEntries(Object.entries(capacity).map(([name, value]) => [name, { value }])),
        }
      : rest,
  );
}

export function formerSliceFromStorage(object: JsonObject): JsonObject {
  const amounts = withDevices(object, ({ capacity, ...rest }) => {
    if (!isObject(capacity)) return rest;
    const known = Object.entries(capacity).map(([name, amount]) => [
      name,
      (isObject(amount) ? amount['value'] : undefined) ?? '0',
    ]);
    return { ...rest, capacity: Object.fromEntries(known) as JsonObject };
  });
  return sliceFromStorage(amounts);
}

function divided(
  object: JsonObject,
  names: readonly string[],
): { readonly rest: JsonObject; readonly chosen: JsonObject } {
  const entries = Object.entries(object);
  return {
    rest: Object.fromEntries(entries.filter(([name]) => !names.includes(name))),
    chosen: Object.fromEntries(entries.filter(([name]) => names.includes(name))),
  };
}

/** The spec of a claim, or that of the claim in a template. */
function withRequests(object: JsonObject, change: (request: JsonObject) => JsonObject): JsonObject {
  const spec = object['spec'];
  if (!isObject(spec)) return object;
  if (isObject(getOwn(spec, 'spec'))) return { ...object, spec: withRequests(spec, change) };
  const { devices } = spec;
  if (!isObject(devices)) return object;
  const requests = changed(devices['requests'], change);
  return { ...object, spec: { ...spec, devices: { ...devices, ...(requests && { requests }) } } };
}

function withDevices(object: JsonObject, change: (device: JsonObject) => JsonObject): JsonObject {
  const spec = object['spec'];
  if (!isObject(spec)) return object;
  const devices = changed(spec['devices'], change);
  return { ...object, spec: { ...spec, ...(devices && { devices }) } };
}

function changed(
  list: JsonValue | undefined,
  change: (item: JsonObject) => JsonObject,
): JsonValue[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.map((item) => (isObject(item) ? change(item) : (item ?? null)));
}
