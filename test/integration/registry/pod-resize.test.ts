/** `pods/resize` at the newest release: through the API, within quotas and limit ranges, and absent before. */
import type { Answer, ApiClient } from '../../support/client.ts';
import { untilPodsMayRun } from '../../support/default-account.ts';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { makeServicePki, startReplica, type Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';

let stack: AsyncDisposableStack;
let newest: Replica;
let specified: Replica;
let admin: ApiClient;

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  const pki = stack.use(await makeServicePki());
  newest = stack.use(await startReplica({ etcd, pki, args: ['--emulated-release=1.36'] }));
  specified = stack.use(await startReplica({ etcd, pki }));
  admin = newest.admin;
});

afterAll(async () => {
  await stack.disposeAsync();
});

const spec = (cpu: string): object => ({
  containers: [{ name: 'main', image: 'nginx:1', resources: { requests: { cpu }, limits: { cpu: '8' } } }],
});

async function namespaceWithPod(name: string): Promise<string> {
  await admin.ok('POST', '/api/v1/namespaces', { metadata: { name } });
  await untilPodsMayRun(admin, name);
  const path = `/api/v1/namespaces/${name}`;
  await admin.ok('POST', `${path}/pods`, { metadata: { name: 'web' }, spec: spec('1') });
  return path;
}

function resize(path: string, cpu: string): Promise<Answer> {
  return admin.patch(`${path}/pods/web/resize`, 'strategic-merge', { spec: spec(cpu) });
}

test('a container gets other amounts, which an update of the pod itself does not give it', async () => {
  const path = await namespaceWithPod('amounts');
  expect((await admin.patch(`${path}/pods/web`, 'strategic-merge', { spec: spec('2') })).status).toBe(422);
  expect((await resize(path, '2')).status).toBe(200);
  expect(await admin.ok('GET', `${path}/pods/web/resize`)).toMatchObject({ kind: 'Pod', spec: spec('2') });
  expect((await specified.admin.request('GET', `${path}/pods/web/resize`)).status).toBe(404);
});

test('the generation of a pod counts the changes of what is wanted, from release 1.33 on', async () => {
  const path = await namespaceWithPod('generations');
  const generation = async (): Promise<unknown> =>
    (await admin.ok('GET', `${path}/pods/web`)).metadata['generation'];
  expect(await generation()).toBe(1);
  await resize(path, '2');
  expect(await generation()).toBe(2);
  await admin.patch(`${path}/pods/web`, 'merge', { metadata: { labels: { a: 'b' } } });
  await admin.patch(`${path}/pods/web/status`, 'merge', { status: { phase: 'Running' } });
  expect(await generation()).toBe(2);
  const target = { kind: 'Node', name: 'n1' };
  await admin.ok('POST', `${path}/pods/web/binding`, { metadata: { name: 'web' }, target });
  expect(await generation()).toBe(3);
  await specified.admin.ok('POST', `${path}/pods`, { metadata: { name: 'older' }, spec: spec('1') });
  expect((await admin.ok('GET', `${path}/pods/older`)).metadata).not.toHaveProperty('generation');
});

test('the quota counts what is wanted more', async () => {
  const path = await namespaceWithPod('counted');
  await admin.ok('POST', `${path}/resourcequotas`, {
    metadata: { name: 'quota' },
    spec: { hard: { 'requests.cpu': '3' } },
  });
  const used = async (): Promise<unknown> => {
    const { status } = await admin.ok('GET', `${path}/resourcequotas/quota`);
    return (status as { used?: Record<string, string> } | undefined)?.used?.['requests.cpu'];
  };
  await waitFor('the quota to be counted', async () => (await used()) === '1');
  expect((await resize(path, '2')).status).toBe(200);
  expect(await used()).toBe('2');
  const refused = await resize(path, '4');
  expect([refused.status, refused.body.toString()]).toEqual([403, expect.stringContaining('exceeded quota')]);
});

test('limit ranges bound it', async () => {
  const path = await namespaceWithPod('bounded');
  await admin.ok('POST', `${path}/limitranges`, {
    metadata: { name: 'range' },
    spec: { limits: [{ type: 'Container', max: { cpu: '8' }, min: { cpu: '500m' } }] },
  });
  const refused = await resize(path, '100m');
  expect([refused.status, refused.body.toString()]).toEqual([
    403,
    expect.stringContaining('minimum cpu usage'),
  ]);
});
