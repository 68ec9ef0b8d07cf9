import { topologyFromStorage, topologyToStorage } from '../../../../src/api/discovery/topology-conversion.ts';
import type { JsonObject } from '../../../../src/base/json.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import { brief, contextWith, Kind, testErrors, withValue } from '../../../support/kind.ts';

const kind = new Kind('endpointslices.discovery');
const minimal: JsonObject = {
  metadata: { name: 'web-1', namespace: 'default' },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'] }],
  ports: [{ name: 'http', port: 80 }],
};
testErrors(kind, minimal, [
  ['addressType', '', 'addressType Required'],
  ['addressType', 'IPv5', 'addressType NotSupported'],
  ['addressType', 'IPv6', 'endpoints[0].addresses[0] Invalid'],
  ['endpoints.0.addresses', [], 'endpoints[0].addresses Required'],
  [
    'endpoints.0.addresses',
    ['127.0.0.1', 'x'],
    'endpoints[0].addresses[0] Invalid',
    'endpoints[0].addresses[1] Invalid',
  ],
  ['endpoints', Array(1001).fill({ addresses: ['10.0.0.1'] }), 'endpoints TooMany'],
  ['endpoints.0.hostname', 'A', 'endpoints[0].hostname Invalid'],
  ['endpoints.0.nodeName', 'A', 'endpoints[0].nodeName Invalid'],
  ['ports', [{ port: 1 }, { port: 2 }], 'ports[1].name Duplicate'],
  ['ports.0.port', 70000, 'ports[0].port Invalid'],
  ['ports.0.name', 'A', 'ports[0].name Invalid'],
  ['ports.0.protocol', 'ICMP', 'ports[0].protocol NotSupported'],
]);

test('names are allowed addresses of their own type', () => {
  const named = { ...minimal, addressType: 'FQDN', endpoints: [{ addresses: ['example.com', 'A b'] }] };
  expect(brief(kind.createErrors(named))).toEqual(['endpoints[0].addresses[1] Invalid']);
});

test('topology is written through v1beta1 alone; unchanged endpoints keep it', () => {
  const topology = withValue(minimal, 'endpoints.0.deprecatedTopology', { a: 'b' });
  const beta = new Kind('endpointslices.discovery', contextWith({ version: 'v1beta1' }));
  const before = beta.created(topology);
  expect(before['endpoints']).toMatchObject([{ deprecatedTopology: { a: 'b' } }]);
  expect(kind.updated(before, topology)['endpoints']).toMatchObject([{ deprecatedTopology: { a: 'b' } }]);
  expect(kind.created(topology)['endpoints']).toEqual([{ addresses: ['10.0.0.1'], conditions: {} }]);
  expect(brief(kind.updateErrors(before, { ...minimal, addressType: 'FQDN', endpoints: [] }))).toEqual([
    'addressType Invalid',
  ]);
});

test('a host name that stood in the map becomes the node name of endpoints without one', () => {
  const hostname = 'orch.io/hostname';
  const beta = new Kind('endpointslices.discovery', contextWith({ version: 'v1beta1' }));
  const stored = withValue(minimal, 'endpoints.0.deprecatedTopology', { [hostname]: 'n1' });
  const next = withValue(stored, 'endpoints.0.addresses', ['10.0.0.2']);
  expect(kind.updated(beta.created(stored), next)['endpoints']).toEqual([
    { addresses: ['10.0.0.2'], conditions: {}, nodeName: 'n1' },
  ]);
  expect(kind.updated(kind.created(minimal), next)['endpoints']).toEqual([
    { addresses: ['10.0.0.2'], conditions: {} },
  ]);
});

test('hints and terminating conditions belong to their gates', () => {
  const endpoint = {
    addresses: ['10.0.0.1'],
    conditions: { serving: true },
    hints: { forZones: [{ name: 'a' }, { name: 'a' }] },
  };
  const sent = { ...minimal, endpoints: [endpoint] };
  expect(kind.created(sent)['endpoints']).toEqual([{ addresses: ['10.0.0.1'], conditions: {} }]);
  const gated = new Kind(
    'endpointslices.discovery',
    contextWith({ on: ['TopologyAwareHints', 'EndpointSliceTerminatingCondition'] }),
  );
  expect(brief(gated.createErrors(sent))).toEqual(['endpoints[0].hints.forZones[1].name Duplicate']);
});

test('generation counts all but what the server writes', () => {
  const before = kind.created(minimal);
  const { bumpsGeneration } = kind.definition.strategy;
  expect(
    bumpsGeneration?.({ ...before, metadata: { ...before.metadata, resourceVersion: '7' } }, before),
  ).toBe(false);
  expect(bumpsGeneration?.({ ...before, metadata: { ...before.metadata, labels: { a: 'b' } } }, before)).toBe(
    true,
  );
  expect(kind.cells(before).slice(1, 4)).toEqual(['IPv4', '80', '10.0.0.1']);
});

test('zone and node name are keys of the topology in v1beta1', () => {
  const { kubernetes } = namingProfiles;
  const topology = { 'kubernetes.io/hostname': 'n1', 'topology.kubernetes.io/zone': 'z1', rack: 'r' };
  const stored = { endpoints: [{ nodeName: 'n1', zone: 'z1', deprecatedTopology: { rack: 'r' } }] };
  expect(topologyToStorage({ endpoints: [{ nodeName: 'n1', topology }] }, kubernetes)).toEqual(stored);
  expect(topologyFromStorage(stored, kubernetes)).toEqual({ endpoints: [{ nodeName: 'n1', topology }] });
});
