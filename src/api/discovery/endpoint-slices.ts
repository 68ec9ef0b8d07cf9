/** EndpointSlice: some of the addresses behind a service. */
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate, invalid, required, tooMany } from '../../meta/field-error.ts';
import { FieldPath } from '../../meta/field-path.ts';
import { ageColumn, column, nameColumn } from '../columns/columns.ts';
import type { Stored } from '../define.ts';
import { defineResource } from '../define.ts';
import type { ApiContext } from '../types.ts';
import { validateLabels } from '../validation/labels.ts';
import {
  dns1123Label,
  dns1123Subdomain,
  nameIsDns1123Subdomain,
  qualifiedName,
} from '../validation/name-rules.ts';
import { addressFields, type AddressField } from '../validation/address-fields.ts';
import { ipFamily, portNumber, reachableIp } from '../validation/net.ts';
import type { Maybe } from '../validation/rules.ts';
import {
  each,
  invalidEach,
  given,
  need,
  obeys,
  repeated,
  same,
  sameMeaning,
  unchanged,
} from '../validation/rules.ts';
import { hostnameKey, topologyFromStorage, topologyToStorage } from './topology-conversion.ts';
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice as SliceFields } from './v1.types.ts';

type EndpointSlice = Stored<SliceFields>;

const maxEndpoints = 1000;
const maxAddresses = 100;
const maxPorts = 100;
const maxTopologyLabels = 16;
const maxZoneHints = 8;
const shown = 3;

function validate(slice: EndpointSlice): FieldError[] {
  const type = slice.addressType ?? '';
  return [
    ...(type === '' ? [required(FieldPath.of('addressType'))] : []),
    ...atMost(slice.endpoints, maxEndpoints, FieldPath.of('endpoints')),
    ...each(slice.endpoints, FieldPath.of('endpoints'), (endpoint, at) =>
      validateEndpoint(endpoint, at, type),
    ),
    ...validatePorts(slice.ports, FieldPath.of('ports')),
  ];
}

function atMost(list: Maybe<readonly unknown[]>, max: number, at: FieldPath): FieldError[] {
  const count = (list ?? []).length;
  return count > max ? [tooMany(at, count, max)] : [];
}

function validateEndpoint(endpoint: Endpoint, at: FieldPath, type: string): FieldError[] {
  const addresses = at.child('addresses');
  return [
    ...((endpoint.addresses ?? []).length === 0
      ? [required(addresses, 'must contain at least 1 address')]
      : []),
    ...atMost(endpoint.addresses, maxAddresses, addresses),
    ...each(endpoint.addresses, addresses, (address, p) => validateAddress(address, p, type)),
    ...given(endpoint.hostname, at.child('hostname'), obeys(dns1123Label)),
    ...given(endpoint.nodeName, at.child('nodeName'), obeys(dns1123Subdomain)),
    ...validateTopology(endpoint, at.child('deprecatedTopology')),
    ...given(endpoint.hints, at.child('hints'), validateHints),
  ];
}

function validateAddress(address: string, at: FieldPath, type: string): FieldError[] {
  if (type === 'FQDN') return invalidEach(address, at, dns1123Subdomain(address));
  const family = { IPv4: 4, IPv6: 6 }[type];
  if (family === undefined) return [];
  return ipFamily(address) === family
    ? reachableIp(address, at)
    : [invalid(at, address, `must be a valid ${type} address`)];
}

function addresses({ addressType, endpoints }: EndpointSlice): AddressField[] {
  if (addressType !== 'IPv4' && addressType !== 'IPv6') return [];
  return (endpoints ?? []).flatMap((endpoint, i) =>
    addressFields(endpoint.addresses, FieldPath.of('endpoints').index(i).child('addresses')),
  );
}

function validateTopology({ deprecatedTopology }: Endpoint, at: FieldPath): FieldError[] {
  const count = Object.keys(deprecatedTopology ?? {}).length;
  return [
    ...(count > maxTopologyLabels ? [tooMany(at, count, maxTopologyLabels)] : []),
    ...validateLabels(deprecatedTopology, at),
  ];
}

function validateHints({ forZones }: EndpointHints, at: FieldPath): FieldError[] {
  const path = at.child('forZones');
  return [
    ...atMost(forZones, maxZoneHints, path),
    ...each(forZones, path, ({ name }, p) => need(name, p.child('name'))),
    ...repeated(forZones, path, ({ name }) => ({ value: name, at: 'name' })),
  ];
}

function validatePorts(ports: Maybe<readonly EndpointPort[]>, at: FieldPath): FieldError[] {
  const seen = new Set<string>();
  return [
    ...atMost(ports, maxPorts, at),
    ...each(ports, at, (port, p) => {
      const name = port.name ?? '';
      const isRepeated = seen.has(name);
      seen.add(name);
      return [
        ...(name === '' ? [] : obeys(dns1123Label)(name, p.child('name'))),
        ...(isRepeated ? [duplicate(p.child('name'), name)] : []),
        ...need(port.protocol, p.child('protocol')),
        ...given(port.port, p.child('port'), portNumber),
        ...given(port.appProtocol, p.child('appProtocol'), obeys(qualifiedName)),
      ];
    }),
  ];
}

/**
 * Only v1beta1 writes the map; endpoints that a request leaves alone keep it. A host name that stood in the map before
 * becomes the node name of endpoints without one.
 */
function dropTopology(next: EndpointSlice, current: EndpointSlice | undefined, context: ApiContext): void {
  if (context.version === 'v1beta1' || sameMeaning(next.endpoints, current?.endpoints)) return;
  const hostname = hostnameKey(context.naming);
  const nameIn = ({ deprecatedTopology }: Endpoint): string | undefined => deprecatedTopology?.[hostname];
  const before = new Set((current?.endpoints ?? []).map(nameIn));
  for (const endpoint of next.endpoints ?? []) {
    const name = nameIn(endpoint);
    if (endpoint.nodeName == null && name && before.has(name) && dns1123Subdomain(name).length === 0)
      endpoint.nodeName = name;
    delete endpoint.deprecatedTopology;
  }
}

/** Fields behind gates that are off are dropped, unless the stored slice has them. */
function dropDisabled(next: EndpointSlice, current: EndpointSlice | undefined, context: ApiContext): void {
  const before = current?.endpoints ?? [];
  const gated = (gate: string, isUsed: (endpoint: Endpoint) => boolean): boolean =>
    !context.isFeatureEnabled(gate) && !before.some(isUsed);
  const isTerminating = ({ conditions }: Endpoint): boolean =>
    conditions?.serving != null || conditions?.terminating != null;
  const dropsConditions = gated('EndpointSliceTerminatingCondition', isTerminating);
  const dropsHints = gated('TopologyAwareHints', ({ hints }) => hints != null);
  for (const endpoint of next.endpoints ?? []) {
    if (dropsHints) delete endpoint.hints;
    if (!dropsConditions) continue;
    delete endpoint.conditions?.serving;
    delete endpoint.conditions?.terminating;
  }
}

function prepare(next: EndpointSlice, current: EndpointSlice | undefined, context: ApiContext): void {
  dropDisabled(next, current, context);
  dropTopology(next, current, context);
}

/** Everything but what the server itself writes at every change. */
function content(slice: EndpointSlice): object {
  const {
    resourceVersion: _version,
    generation: _generation,
    managedFields: _fields,
    ...metadata
  } = slice.metadata;
  return { ...slice, metadata };
}

function firstOf(items: readonly string[]): string {
  if (items.length === 0) return '<unset>';
  const text = items.slice(0, shown).join(',');
  return items.length > shown ? `${text} + ${String(items.length - shown)} more...` : text;
}

export const endpointSlices = defineResource<EndpointSlice>({
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
  versions: [
    { version: 'v1' },
    {
      version: 'v1beta1',
      deprecatedIn: '1.21',
      removedIn: '1.25',
      replacement: 'discovery.{api}/v1 EndpointSlice',
      toStorage: topologyToStorage,
      fromStorage: topologyFromStorage,
    },
  ],
  validateName: nameIsDns1123Subdomain,
  strategy: {
    bumpsGeneration: (next, current) => !same(content(next), content(current)),
    prepareForCreate: (slice, context) => {
      prepare(slice, undefined, context);
    },
    prepareForUpdate: prepare,
    validate,
    addresses,
    validateUpdate: (next, current) =>
      unchanged(next.addressType, current.addressType, FieldPath.of('addressType')),
  },
  columns: [
    nameColumn,
    column<EndpointSlice>('AddressType', ({ addressType }) => addressType, {
      description: 'IPv4, IPv6 or FQDN.',
    }),
    column<EndpointSlice>(
      'Ports',
      ({ ports }) =>
        firstOf((ports ?? []).map(({ port, name }) => (port == null ? name || '*' : String(port)))),
      { description: 'Ports of every endpoint.' },
    ),
    column<EndpointSlice>(
      'Endpoints',
      ({ endpoints }) => firstOf((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
      { description: 'Addresses.' },
    ),
    ageColumn,
  ],
});
