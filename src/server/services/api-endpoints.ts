/**
 * Endpoints and EndpointSlice of the Service of the API: the addresses of the replicas that live, which each announces
 * in etcd (release 1.21, `pkg/controlplane/reconcilers/lease.go`).
 */
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { deepEqual, isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { expandNames, type NamingProfile } from '../../meta/naming.ts';
import { asJson, type ApiObject } from '../../meta/object.ts';
import { announcedGroup, type CollectionId, type CollectionSnapshot } from '../../storage/types.ts';
import { portName } from './api-service.ts';
import type { MaintainedObject } from './maintained-object.ts';

/** Keys `<address>/<id of the process>`. */
export const announcedEndpoints: CollectionId = `${announcedGroup}/apiservers`;
/** As in the reference. */
export const endpointTtlSeconds = 15;

/** Where a replica is reached. */
export interface ApiEndpoint {
  readonly address: string;
  readonly port: number;
}

/** The endpoints that replicas announce, each once, in the order of their addresses. */
export function endpointsIn(announced: CollectionSnapshot): ApiEndpoint[] {
  const found = [...announced.entries('', '')].flatMap(({ key, bytes }) => {
    const port = Number(bytes.toString());
    return Number.isInteger(port) ? [{ address: key.slice(0, key.lastIndexOf('/')), port }] : [];
  });
  return [...new Map(found.map((endpoint) => [endpoint.address, endpoint])).values()];
}

/**
 * The objects for these endpoints; none without endpoints, as an empty list is more likely an error than true. All
 * have the port of the first, as one subset has one.
 */
export function endpointObjects(
  naming: NamingProfile,
  endpoints: readonly ApiEndpoint[],
): MaintainedObject[] {
  const [first] = endpoints;
  if (!first) return [];
  const { serviceName: name } = naming;
  const ports = [{ name: portName, port: first.port, protocol: 'TCP' }];
  const isIpv6 = endpoints.every(({ address }) => isIPv6(address));
  const listed = endpoints.filter(({ address }) => isIPv6(address) === isIpv6);
  const subsets = [{ addresses: endpoints.map(({ address }) => ({ ip: address })), ports }];
  const slice = {
    addressType: isIpv6 ? 'IPv6' : 'IPv4',
    endpoints: listed.map(({ address }) => ({ addresses: [address], conditions: { ready: true } })),
    ports,
  };
  const skipMirror = { [expandNames('endpointslice.{label}/skip-mirror', naming)]: 'true' };
  const serviceLabel = { [expandNames('{label}/service-name', naming)]: name };
  return [
    { group: '', plural: 'endpoints', ...placed(name, { subsets }, skipMirror) },
    {
      group: expandNames('discovery.{api}', naming),
      plural: 'endpointslices',
      ...placed(name, slice, serviceLabel),
      isOutdated: ({ addressType }) => addressType !== slice.addressType,
    },
  ];
}

type Placed = Pick<MaintainedObject, 'namespace' | 'name' | 'next'>;

function placed(name: string, fields: JsonObject, labels: Readonly<Record<string, string>>): Placed {
  const next = (current: ApiObject | undefined): JsonObject | undefined => {
    if (!current) return { metadata: { name, namespace: 'default', labels }, ...fields };
    const { metadata } = current;
    const isLabelled = Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value);
    if (isLabelled && covers(asJson(current), fields)) return undefined;
    return {
      ...asJson(current),
      metadata: { ...metadata, labels: { ...metadata.labels, ...labels } },
      ...fields,
    } as JsonObject;
  };
  return { namespace: 'default', name, next };
}

/** Whether an object has these fields; it may have defaults beside them. */
function covers(object: JsonObject, fields: JsonObject): boolean {
  return Object.entries(fields).every(([field, value]) => isCovered(object[field], value));
}

function isCovered(actual: JsonValue | undefined, wanted: JsonValue | undefined): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((item, i) => isCovered(actual[i], item))
    );
  if (isObject(wanted)) return isObject(actual) && covers(actual, wanted);
  return actual !== undefined && wanted !== undefined && deepEqual(actual, wanted);
}

/**
 * The address that others reach this machine at: the configured one, that on which it listens, or that of a network
 * interface; undefined if there is none.
 */
export function advertisedAddress(
  advertise: string,
  bind: string,
  interfaces = networkInterfaces(),
): string | undefined {
  if (advertise !== '') return advertise;
  const isEverywhere = bind === '0.0.0.0' || bind === '::';
  if (!isEverywhere && !bind.startsWith('127.') && bind !== '::1') return bind;
  const family = bind.includes(':') ? 'IPv6' : 'IPv4';
  return Object.values(interfaces)
    .flatMap((list) => list ?? [])
    .find((one) => !one.internal && one.family === family && !one.address.startsWith('fe80:'))?.address;
}
