/** Ingresses of the beta versions: `backend`, `serviceName` and `servicePort` in place of `service`. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';

type Convert = (backend: JsonObject) => JsonObject;

export function ingressToStorage(object: JsonObject): JsonObject {
  const spec = object['spec'];
  if (!isObject(spec)) return object;
  const { backend, ...rest } = spec;
  object['spec'] = { ...(isObject(backend) && { defaultBackend: backendToStorage(backend) }), ...rest };
  eachPathBackend(object['spec'], backendToStorage);
  return object;
}

export function ingressFromStorage(object: JsonObject): JsonObject {
  const spec = object['spec'];
  if (!isObject(spec)) return object;
  const { defaultBackend, ...rest } = spec;
  object['spec'] = {
    ...(isObject(defaultBackend) && { backend: backendFromStorage(defaultBackend) }),
    ...rest,
  };
  eachPathBackend(object['spec'], backendFromStorage);
  return object;
}

function eachPathBackend(spec: JsonObject, convert: Convert): void {
  for (const rule of objectsIn(spec['rules'])) {
    const http = rule['http'];
    for (const path of objectsIn(isObject(http) ? http['paths'] : undefined)) {
      if (isObject(path['backend'])) path['backend'] = convert(path['backend']);
    }
  }
}

function objectsIn(list: JsonValue | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** A number is the number of a port, a text its name. */
function backendToStorage({ serviceName, servicePort, ...rest }: JsonObject): JsonObject {
  const name = typeof serviceName === 'string' ? serviceName : '';
  if (name === '' && isUnset(servicePort)) return rest;
  const port: JsonObject = isUnset(servicePort)
    ? {}
    : typeof servicePort === 'string'
      ? { name: servicePort }
      : { number: servicePort ?? 0 };
  return { service: { name, port }, ...rest };
}

function isUnset(port: JsonValue | undefined): boolean {
  return port === undefined || port === null || port === 0 || port === '';
}

function backendFromStorage({ service, ...rest }: JsonObject): JsonObject {
  if (!isObject(service)) return rest;
  const port = isObject(service['port']) ? service['port'] : {};
  const name = port['name'];
  return {
    ...(typeof service['name'] === 'string' && { serviceName: service['name'] }),
    servicePort: typeof name === 'string' && name !== '' ? name : (port['number'] ?? 0),
    ...rest,
  };
}
