/** What Services and Endpoints say of the availability of an aggregated API, and where they lead. */
import type { JsonObject } from '../../../../src/base/json.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import { checkObjects } from '../../../../src/extension/aggregated-apis/availability.ts';
import { locateByClusterIp, locateByEndpoint } from '../../../../src/webhook/service-location.ts';
import { asApiObject } from '../../../../src/meta/object.ts';

const target = { namespace: 'kube-system', name: 'metrics', port: 443 };
const backend = { ...target, ca: '', skipsVerification: false };
const where = 'service/metrics in "kube-system"';

function reader(service?: JsonObject, endpoints?: JsonObject): Parameters<typeof checkObjects>[1] {
  return {
    peek: (collection, key) => {
      const object = collection === 'core/services' ? service : endpoints;
      return key === 'kube-system/metrics' && object
        ? asApiObject({ metadata: { name: 'metrics' }, ...object })
        : undefined;
    },
  };
}

const ports = [
  { name: 'web', port: 80 },
  { name: 'https', port: 443 },
];
const clusterIp = { spec: { type: 'ClusterIP', clusterIP: '10.0.0.7', ports } };
const ready = { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: 8443 }] }] };

test.each([
  ['no service', reader(), 'ServiceNotFound', `${where} is not present`],
  [
    'another port',
    reader({ spec: { type: 'ClusterIP', ports: [{ port: 80 }] } }),
    'ServicePortError',
    `${where} is not listening on port 443`,
  ],
  ['no endpoints', reader(clusterIp), 'EndpointsNotFound', `cannot find endpoints for ${where}`],
  [
    'endpoints that are not ready',
    reader(clusterIp, {
      subsets: [{ notReadyAddresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: 8443 }] }],
    }),
    'MissingEndpoints',
    `endpoints for ${where} have no addresses with port name "https"`,
  ],
  [
    'endpoints of another port',
    reader(clusterIp, {
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'web', port: 80 }] }],
    }),
    'MissingEndpoints',
    `endpoints for ${where} have no addresses with port name "https"`,
  ],
])('%s', (_name, objects, reason, message) => {
  expect(checkObjects(backend, objects)).toEqual({ type: 'Available', status: 'False', reason, message });
});

test('ready endpoints, and services of other types, are for the server to prove', () => {
  expect(checkObjects(backend, reader(clusterIp, ready))).toBeUndefined();
  expect(checkObjects(backend, reader({ spec: { type: 'NodePort' } }))).toBeUndefined();
  expect(
    checkObjects(backend, reader({ spec: { type: 'ExternalName', externalName: 'x' } })),
  ).toBeUndefined();
});

test('by cluster IP', () => {
  const locate = (service?: JsonObject): unknown => locateByClusterIp(reader(service))(target);
  expect(locate(clusterIp)).toEqual({ host: '10.0.0.7', port: 443 });
  expect(locate({ spec: { type: 'ExternalName', externalName: 'metrics.example.com' } })).toEqual({
    host: 'metrics.example.com',
    port: 443,
  });
  expect(() => locate()).toThrow('service "metrics" not found');
  expect(() => locate({ spec: { type: 'ClusterIP', clusterIP: 'None', ports } })).toThrow(
    'cannot route to service with ClusterIP "None"',
  );
  expect(() => locate({ spec: { type: 'ClusterIP', clusterIP: '10.0.0.7', ports: [] } })).toThrow(
    'no service port 443 found for service "metrics"',
  );
});

test('by endpoint: a random address of a random subset that has the port', () => {
  const subsets = [
    { addresses: [{ ip: '192.0.2.9' }], ports: [{ name: 'web', port: 80 }] },
    { addresses: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }], ports: [{ name: 'https', port: 8443 }] },
    { notReadyAddresses: [{ ip: '192.0.2.8' }], ports: [{ name: 'https', port: 8443 }] },
    { addresses: [{ ip: '192.0.2.3' }], ports: [{ name: 'https', port: 9443 }] },
  ];
  const locate = (...numbers: number[]): unknown =>
    locateByEndpoint(reader(clusterIp, { subsets }), { number: () => numbers.shift() ?? 0 })(target);
  expect(locate(0, 0)).toEqual({ host: '192.0.2.1', port: 8443 });
  expect(locate(0.49, 0.99)).toEqual({ host: '192.0.2.2', port: 8443 });
  expect(locate(0.99, 0.99)).toEqual({ host: '192.0.2.3', port: 9443 });
});

test('by endpoint: what leads nowhere', () => {
  const locate = (service?: JsonObject, endpoints?: JsonObject): unknown =>
    locateByEndpoint(reader(service, endpoints), systemRandom)(target);
  expect(() => locate()).toThrow('service "metrics" not found');
  expect(() => locate(clusterIp)).toThrow('endpoints "metrics" not found');
  expect(() => locate(clusterIp, { subsets: [] })).toThrow('no endpoints available for service "metrics"');
  expect(() => locate({ spec: { type: 'ExternalName', externalName: 'x' } }, ready)).toThrow(
    'unsupported service type "ExternalName"',
  );
});
