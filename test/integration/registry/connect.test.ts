/** Connections to pods, nodes and services: everything is judged, and what would have to leave this service is 503. */
import type { JsonObject } from '../../../src/base/json.ts';
import type { RequestScope } from '../../../src/registry/types.ts';
import { scope, startRegistry, statusOf, type TestRegistry } from '../../support/registry.ts';

let registry: TestRegistry;

beforeAll(async () => {
  registry = await startRegistry();
  const { verbs } = registry;
  await verbs.create(scope('namespaces'), '', { metadata: { name: 'c' } });
  await pod('one', ['main']);
  await pod('two', ['main', 'side'], { initContainers: [container('first')] });
  await pod('placed', ['main'], { nodeName: 'n1' });
  await verbs.create(scope('nodes'), '', { metadata: { name: 'n1' } });
  const ports = [
    { name: 'http', port: 80 },
    { name: 'other', port: 81 },
  ];
  for (const name of ['empty', 'ready', 'lone']) {
    await verbs.create(inNamespace('services'), '', { metadata: { name }, spec: { ports } });
  }
  await verbs.create(inNamespace('endpoints'), '', { metadata: { name: 'empty' } });
  const subsets = [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'http', port: 8080 }] }];
  await verbs.create(inNamespace('endpoints'), '', { metadata: { name: 'ready' }, subsets });
});
afterAll(() => registry.close());

function inNamespace(plural: string, subresource = ''): RequestScope {
  return scope(plural, { namespace: 'c', subresource });
}

function container(name: string): JsonObject {
  return { name, image: 'busybox:1' };
}

function pod(name: string, containers: string[], more: JsonObject = {}): Promise<unknown> {
  const spec = { containers: containers.map(container), ...more };
  return registry.verbs.create(inNamespace('pods'), '', { metadata: { name }, spec });
}

function connect(where: string, name: string, options: JsonObject = {}): Promise<unknown> {
  const [plural = '', subresource = ''] = where.split('/');
  const about = plural === 'nodes' ? scope(plural, { subresource }) : inNamespace(plural, subresource);
  return registry.verbs.act(about, name, 'get', options);
}

test('the log of a pod that runs nowhere is empty', async () => {
  expect(await connect('pods/log', 'one')).toBe('');
  expect(await connect('pods/log', 'two', { container: 'first', tailLines: 0 })).toBe('');
});

const several = 'choose one of: [main side] or one of the init containers: [first]';
test.each<[string, JsonObject, number, string]>([
  ['pods/log none', {}, 404, 'pods "none" not found'],
  ['pods/log two', {}, 400, several],
  ['pods/log one', { container: 'x' }, 400, 'container x is not valid for pod one'],
  ['pods/log one', { tailLines: -1 }, 422, 'tailLines: Invalid value'],
  ['pods/log one', { limitBytes: 0, sinceSeconds: 0 }, 422, 'must be greater than 0'],
  ['pods/log one', { sinceSeconds: 1, sinceTime: '2021-01-01T00:00:00Z' }, 422, 'at most one of'],
  ['pods/log placed', {}, 503, 'no connection to the agent of node "n1"'],
  ['pods/exec none', { command: ['ls'] }, 404, 'not found'],
  ['pods/exec two', { command: ['ls'] }, 400, several],
  ['pods/exec one', { command: ['ls'] }, 400, 'pod one does not have a host assigned'],
  ['pods/exec placed', { command: ['ls'] }, 503, 'agent of node "n1"'],
  ['pods/attach one', {}, 400, 'does not have a host assigned'],
  ['pods/attach placed', { container: 'main' }, 503, 'agent of node "n1"'],
  ['pods/portforward two', { ports: [80] }, 400, 'does not have a host assigned'],
  ['pods/portforward placed', { ports: [80] }, 503, 'agent of node "n1"'],
  ['pods/proxy http:one:80', {}, 400, 'address not allowed'],
  ['pods/proxy a:b:c:d', {}, 400, 'invalid pod request "a:b:c:d"'],
  ['pods/proxy ftp:one:21', {}, 400, 'invalid pod request'],
  ['pods/proxy none', {}, 404, 'not found'],
  ['nodes/proxy n1:10250', {}, 503, 'agent of node "n1"'],
  ['nodes/proxy n2', {}, 404, 'nodes "n2" not found'],
  ['services/proxy none', {}, 404, 'services "none" not found'],
  ['services/proxy lone', {}, 404, 'endpoints "lone" not found'],
  ['services/proxy empty', {}, 503, 'no endpoints available for service "empty"'],
  ['services/proxy ready:other', {}, 503, 'no endpoints available'],
  ['services/proxy ready:82', {}, 503, 'no service port 82 found for service "ready"'],
  ['services/proxy ready:80', {}, 503, 'no connection to the network of service "ready"'],
  ['services/proxy ready', {}, 503, 'no connection to the network'],
])('%s with %j is refused with %i', async (target, options, code, message) => {
  const [where = '', name = ''] = target.split(' ');
  const refusal = await statusOf(connect(where, name, options));
  expect(refusal.message).toContain(message);
  expect(refusal.code).toBe(code);
});
