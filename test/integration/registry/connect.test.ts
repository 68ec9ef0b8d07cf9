/** Connections to pods, nodes and services: everything that objects tell is judged, and says where they lead. */
import type { JsonObject } from '../../../src/base/json.ts';
import type { RequestScope } from '../../../src/registry/types.ts';
import { scope, startRegistry, statusOf, type TestRegistry } from '../../support/registry.ts';

let registry: TestRegistry;

const agent = {
  node: 'n1',
  addresses: [
    { type: 'Hostname', address: 'n1.test' },
    { type: 'InternalIP', address: '10.0.0.9' },
  ],
  port: 10_255,
};

beforeAll(async () => {
  registry = await startRegistry();
  const { verbs } = registry;
  await verbs.create(scope('namespaces'), '', { metadata: { name: 'c' } });
  await pod('one', ['main']);
  await pod('two', ['main', 'side'], { initContainers: [container('first')] });
  await pod('placed', ['main'], { nodeName: 'n1' });
  await pod('lost', ['main'], { nodeName: 'gone' });
  await pod('web', ['main'], {
    containers: [{ ...container('main'), ports: [{ name: 'web', containerPort: 8080 }] }],
  });
  await setStatus('pods', 'web', { podIP: '10.1.0.1', podIPs: [{ ip: '10.1.0.1' }] });
  await verbs.create(scope('nodes'), '', { metadata: { name: 'n1' } });
  await setStatus('nodes', 'n1', {
    addresses: agent.addresses,
    daemonEndpoints: { kubeletEndpoint: { Port: agent.port } },
  });
  const ports = [
    { name: 'http', port: 80 },
    { name: 'other', port: 81 },
  ];
  for (const name of ['empty', 'ready', 'lone', 'foreign']) {
    await verbs.create(inNamespace('services'), '', { metadata: { name }, spec: { ports } });
  }
  await verbs.create(inNamespace('endpoints'), '', { metadata: { name: 'empty' } });
  const targetRef = { kind: 'Pod', namespace: 'c', name: 'web' };
  await endpoints('ready', [{ ip: '10.1.0.1', targetRef }]);
  await endpoints('foreign', [
    { ip: '10.1.0.1' },
    { ip: '10.1.0.2', targetRef },
    { ip: '10.1.0.1', targetRef: { ...targetRef, namespace: 'd' } },
    { ip: '10.1.0.1', targetRef: { ...targetRef, name: 'none' } },
  ]);
});
afterAll(() => registry.close());

function endpoints(name: string, addresses: JsonObject[]): Promise<unknown> {
  const subsets = [{ addresses, ports: [{ name: 'http', port: 8080 }] }];
  return registry.verbs.create(inNamespace('endpoints'), '', { metadata: { name }, subsets });
}

function setStatus(plural: string, name: string, status: JsonObject): Promise<unknown> {
  const about = plural === 'nodes' ? scope(plural, { subresource: 'status' }) : inNamespace(plural, 'status');
  return registry.verbs.patch(about, name, (object) => ({ ...object, status }));
}

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
  return registry.verbs.connect(about, name, 'get', options);
}

test('the log of a pod that runs nowhere leads nowhere', async () => {
  expect(await connect('pods/log', 'one')).toEqual({ kind: 'nothing' });
  expect(await connect('pods/log', 'two', { container: 'first', tailLines: 0 })).toEqual({ kind: 'nothing' });
});

const io = { stdin: true, stdout: true, stderr: true, tty: false };
test.each<[string, JsonObject, string]>([
  ['pods/log', {}, '/containerLogs/c/placed/main'],
  [
    'pods/log',
    { ...{ follow: true, previous: true, timestamps: true, tailLines: 0, limitBytes: 9 }, sinceSeconds: 5 },
    '/containerLogs/c/placed/main?follow=true&limitBytes=9&previous=true&sinceSeconds=5&tailLines=0&timestamps=true',
  ],
  [
    'pods/log',
    { container: 'main', sinceTime: '2021-01-01T00:00:00Z', follow: false },
    '/containerLogs/c/placed/main?sinceTime=2021-01-01T00%3A00%3A00Z',
  ],
  [
    'pods/exec',
    { command: ['sh', '-c', 'echo a&b'], ...io, tty: true },
    '/exec/c/placed/main?command=sh&command=-c&command=echo+a%26b&error=1&input=1&output=1&tty=1',
  ],
  ['pods/attach', io, '/attach/c/placed/main?error=1&input=1&output=1'],
  ['pods/portforward', { ports: [80, 443] }, '/portForward/c/placed?port=80%2C443'],
  ['pods/portforward', {}, '/portForward/c/placed'],
])('%s with %j leads to %s of the agent', async (where, options, path) => {
  const skipsVerification = false;
  expect(await connect(where, 'placed', options)).toEqual({ kind: 'agent', agent, path, skipsVerification });
});

test('a client may take a log from an agent that cannot be verified', async () => {
  const target = await connect('pods/log', 'placed', { insecureSkipTLSVerifyBackend: true });
  expect(target).toMatchObject({ kind: 'agent', skipsVerification: true });
});

const ip = '10.1.0.1';
test.each<[string, string, JsonObject]>([
  ['pods/proxy', 'web', { kind: 'address', scheme: 'http', ip, port: '8080' }],
  ['pods/proxy', 'web:web', { kind: 'address', scheme: 'http', ip, port: '8080' }],
  ['pods/proxy', 'web:81', { kind: 'address', scheme: 'http', ip, port: '81' }],
  ['pods/proxy', 'https:web:8443', { kind: 'address', scheme: 'https', ip, port: '8443' }],
  ['pods/proxy', 'https:one:', { kind: 'address', scheme: 'https', ip: '', port: '' }],
  ['nodes/proxy', 'n1', { kind: 'node', agent, scheme: 'http', port: '' }],
  ['nodes/proxy', 'https:n1:10250', { kind: 'node', agent, scheme: 'https', port: '10250' }],
  ['services/proxy', 'ready:http', { kind: 'address', scheme: 'http', ip, port: '8080' }],
  ['services/proxy', 'https:ready:80', { kind: 'address', scheme: 'https', ip, port: '8080' }],
])('%s of %s leads to %j', async (where, name, target) => {
  expect(await connect(where, name)).toEqual(target);
});

const several = 'choose one of: [first main side]';
test.each<[string, JsonObject, number, string]>([
  ['pods/log none', {}, 404, 'pods "none" not found'],
  ['pods/log two', {}, 400, several],
  ['pods/log one', { container: 'x' }, 400, 'container x is not valid for pod one'],
  ['pods/log one', { tailLines: -1 }, 422, 'tailLines: Invalid value'],
  ['pods/log one', { limitBytes: 0, sinceSeconds: 0 }, 422, 'must be greater than 0'],
  ['pods/log one', { sinceSeconds: 1, sinceTime: '2021-01-01T00:00:00Z' }, 422, 'at most one of'],
  ['pods/log lost', {}, 404, 'nodes "gone" not found'],
  ['pods/exec none', { command: ['ls'] }, 404, 'not found'],
  ['pods/exec two', { command: ['ls'] }, 400, several],
  ['pods/exec one', { command: ['ls'] }, 400, 'pod one does not have a host assigned'],
  ['pods/exec lost', { command: ['ls'] }, 404, 'nodes "gone" not found'],
  ['pods/attach one', {}, 400, 'does not have a host assigned'],
  ['pods/portforward two', { ports: [80] }, 400, 'does not have a host assigned'],
  ['pods/proxy a:b:c:d', {}, 400, 'invalid pod request "a:b:c:d"'],
  ['pods/proxy ftp:one:21', {}, 400, 'invalid pod request'],
  ['pods/proxy none', {}, 404, 'not found'],
  ['nodes/proxy n2', {}, 404, 'nodes "n2" not found'],
  ['services/proxy none', {}, 404, 'endpoints "none" not found'],
  ['services/proxy none:80', {}, 404, 'services "none" not found'],
  ['services/proxy lone', {}, 404, 'endpoints "lone" not found'],
  ['services/proxy empty', {}, 503, 'no endpoints available for service "empty"'],
  ['services/proxy ready:other', {}, 503, 'no endpoints available'],
  ['services/proxy ready:82', {}, 503, 'no service port 82 found for service "ready"'],
  ['services/proxy ready', {}, 503, 'no endpoints available for service "ready"'],
  ['services/proxy foreign:http', {}, 503, 'no endpoints available for service "foreign:http"'],
])('%s with %j is refused with %i', async (target, options, code, message) => {
  const [where = '', name = ''] = target.split(' ');
  const refusal = await statusOf(connect(where, name, options));
  expect(refusal.message).toContain(message);
  expect(refusal.code).toBe(code);
});
