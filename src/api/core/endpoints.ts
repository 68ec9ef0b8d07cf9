/** Endpoints: the addresses behind a service. */
import type { FieldError } from '../../meta/field-error.ts';
import { required } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import type { ApiObject } from '../../meta/object.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import {
  dns1123Label,
  dns1123Subdomain,
  nameIsDns1123Subdomain,
  qualifiedName,
} from '../validation/name-rules.ts';
import { addressField, type AddressField } from '../validation/address-fields.ts';
import { portNumber, reachableIp } from '../validation/net.ts';
import { each, given, need, obeys } from '../validation/rules.ts';
import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  Endpoints as EndpointsFields,
} from './v1.types.ts';

type Endpoints = Stored<EndpointsFields>;

const path = FieldPath.of('subsets');
const shownAddresses = 3;

function applyDefaults(object: ApiObject): void {
  for (const subset of (object as Endpoints).subsets ?? []) {
    for (const port of subset.ports ?? []) port.protocol ||= 'TCP';
  }
}

function validateSubset(subset: EndpointSubset, path: FieldPath): FieldError[] {
  const ports = subset.ports ?? [];
  const isEmpty = (subset.addresses ?? []).length === 0 && (subset.notReadyAddresses ?? []).length === 0;
  return [
    ...(isEmpty ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...each(subset.addresses, path.child('addresses'), validateAddress),
    ...each(subset.notReadyAddresses, path.child('notReadyAddresses'), validateAddress),
    ...each(ports, path.child('ports'), (port, at) => validatePort(port, ports.length > 1, at)),
  ];
}

function validateAddress(address: EndpointAddress, path: FieldPath): FieldError[] {
  return [
    ...reachableIp(address.ip ?? '', path.child('ip')),
    ...given(address.hostname || undefined, path.child('hostname'), obeys(dns1123Label)),
    ...given(address.nodeName || undefined, path.child('nodeName'), obeys(dns1123Subdomain)),
  ];
}

function validatePort(port: EndpointPort, needsName: boolean, path: FieldPath): FieldError[] {
  return [
    ...(needsName ? need(port.name, path.child('name')) : []),
    ...given(port.name || undefined, path.child('name'), obeys(dns1123Label)),
    ...portNumber(port.port ?? 0, path.child('port')),
    ...need(port.protocol, path.child('protocol')),
    ...given(port.appProtocol, path.child('appProtocol'), obeys(qualifiedName)),
  ];
}

function addresses({ subsets }: Endpoints): AddressField[] {
  return (subsets ?? []).flatMap((subset, i) =>
    (['addresses', 'notReadyAddresses'] as const).flatMap((field) =>
      (subset[field] ?? []).flatMap(({ ip }, j) =>
        addressField(ip, path.index(i).child(field).index(j).child('ip')),
      ),
    ),
  );
}

/** `ip:port` of each subset and port; addresses alone where there are no ports. */
function addressesText({ subsets }: Endpoints): string {
  const first: string[] = [];
  let count = 0;
  for (const subset of subsets ?? []) {
    count += (subset.addresses ?? []).length * Math.max(1, (subset.ports ?? []).length);
    if (first.length < shownAddresses) first.push(...firstOf(subset));
  }
  if (count === 0) return '<none>';
  const more = count - shownAddresses;
  return first.slice(0, shownAddresses).join(',') + (more > 0 ? ` + ${String(more)} more...` : '');
}

/** As many of a subset as are shown at most: it may have as many as its addresses times its ports. */
function firstOf({ addresses, ports }: EndpointSubset): string[] {
  const ips = (addresses ?? []).slice(0, shownAddresses).map(({ ip }) => ip ?? '');
  if ((ports ?? []).length === 0) return ips;
  return (ports ?? [])
    .slice(0, shownAddresses)
    .flatMap(({ port }) => ips.map((ip) => hostPort(ip, port ?? 0)));
}

function hostPort(ip: string, port: number): string {
  return ip.includes(':') ? `[${ip}]:${String(port)}` : `${ip}:${String(port)}`;
}

export const endpoints = defineResource<Endpoints>({
  kind: 'Endpoints',
  plural: 'endpoints',
  shortNames: ['ep'],
  namespaced: true,
  versions: [
    { version: 'v1', applyDefaults, deprecatedIn: '1.33', replacement: 'discovery.{api}/v1 EndpointSlice' },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    createOnUpdate: true,
    validate: ({ subsets }) => each(subsets, path, validateSubset),
    addresses,
  },
  columns: [
    nameColumn,
    column<Endpoints>('Endpoints', addressesText, { description: 'Addresses that are ready.' }),
    ageColumn,
  ],
});
