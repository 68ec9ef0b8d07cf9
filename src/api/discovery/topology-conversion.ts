/** Endpoints of v1beta1: zone and node name are keys of a map, which later versions keep but no longer write. */
import type { JsonObject } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import type { NamingProfile } from '../../meta/naming.ts';

export function zoneKey(naming: NamingProfile): string {
  return `topology.${naming.labelDomain}/zone`;
}

export function hostnameKey(naming: NamingProfile): string {
  return `${naming.labelDomain}/hostname`;
}

type Change = (endpoint: JsonObject) => JsonObject;

function changeEndpoints(object: JsonObject, change: Change): JsonObject {
  const { endpoints } = object;
  if (Array.isArray(endpoints))
    object['endpoints'] = endpoints.map((endpoint) => (isObject(endpoint) ? change(endpoint) : endpoint));
  return object;
}

/** The zone moves to its field; a host name that only repeats the node name goes. */
export function topologyToStorage(object: JsonObject, naming: NamingProfile): JsonObject {
  const zone = zoneKey(naming);
  const hostname = hostnameKey(naming);
  return changeEndpoints(object, ({ topology, ...endpoint }) => {
    if (!isObject(topology)) return endpoint;
    const rest = { ...topology };
    const result: JsonObject = { ...endpoint };
    const place = getOwn(rest, zone);
    if (place !== undefined) result['zone'] = place;
    Reflect.deleteProperty(rest, zone);
    if (endpoint['nodeName'] !== undefined && getOwn(rest, hostname) === endpoint['nodeName'])
      Reflect.deleteProperty(rest, hostname);
    if (Object.keys(rest).length > 0) result['deprecatedTopology'] = rest;
    return result;
  });
}

export function topologyFromStorage(object: JsonObject, naming: NamingProfile): JsonObject {
  return changeEndpoints(object, ({ zone, deprecatedTopology, ...endpoint }) => {
    const { nodeName } = endpoint;
    const topology: JsonObject = isObject(deprecatedTopology) ? { ...deprecatedTopology } : {};
    if (typeof nodeName === 'string') topology[hostnameKey(naming)] = nodeName;
    if (typeof zone === 'string') topology[zoneKey(naming)] = zone;
    return Object.keys(topology).length > 0 ? { ...endpoint, topology } : endpoint;
  });
}
