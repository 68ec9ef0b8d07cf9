/** What a namespace with quotas may hold, through two replicas at once. */
import type { Answer, ApiClient, ApiObject } from '../../support/client.ts';
import { untilPodsMayRun } from '../../support/default-account.ts';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { makeServicePki, startReplica, type Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { pod } from '../../support/writes.ts';

let stack: AsyncDisposableStack;
let replicas: Replica[];
let admin: ApiClient;

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  const pki = stack.use(await makeServicePki());
  replicas = await Promise.all([0, 1].map(() => startReplica({ etcd, pki })));
  for (const replica of replicas) stack.use(replica);
  [admin] = replicas.map((replica) => replica.admin) as [ApiClient];
});

afterAll(async () => {
  await stack.disposeAsync();
});

async function namespaceWith(name: string, spec: object): Promise<string> {
  await admin.ok('POST', '/api/v1/namespaces', { metadata: { name } });
  await untilPodsMayRun(admin, name);
  const path = `/api/v1/namespaces/${name}`;
  await admin.ok('POST', `${path}/resourcequotas`, { metadata: { name: 'quota' }, spec });
  await waitFor('the quota to be counted', async () => (await usedOf(path)) !== undefined);
  // A fresh read waits until the replica knows of the quota: until then it limits nothing there.
  for (const replica of replicas) await replica.admin.ok('GET', `${path}/resourcequotas/quota`);
  return path;
}

async function usedOf(path: string): Promise<Record<string, string> | undefined> {
  return usedIn(await admin.ok('GET', `${path}/resourcequotas/quota`));
}

function usedIn(quota: ApiObject): Record<string, string> | undefined {
  return (quota['status'] as { used?: Record<string, string> } | undefined)?.used;
}

/** One replica's, then the other's. */
function clientOf(turn: number): ApiClient {
  return replicas[turn % replicas.length]?.admin ?? admin;
}

function configMap(name: string): object {
  return { metadata: { name } };
}

test('forty creations at once through two replicas: as many get in as the quota has room for', async () => {
  const path = await namespaceWith('crowd', { hard: { pods: '7', 'requests.cpu': '650m' } });
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }];
  const creations = Array.from({ length: 40 }, (_, i) =>
    clientOf(i).post(`${path}/pods`, pod(`pod-${String(i)}`, { containers })),
  );
  const answers: Answer[] = await Promise.all(creations);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(6);
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(34);
  expect((await admin.list(`${path}/pods`)).items).toHaveLength(6);
  expect(await usedOf(path)).toEqual({ pods: '6', 'requests.cpu': '600m' });
  expect(answers.find(({ status }) => status === 403)?.json()['message']).toMatch(
    /^pods "pod-\d+" is forbidden: exceeded quota: quota, requested: requests.cpu=100m, used: requests.cpu=600m, limited: requests.cpu=650m$/,
  );
});

test('what is deleted, and what was never stored, is given back', async () => {
  const path = await namespaceWith('back', { hard: { configmaps: '3', 'count/secrets': '100' } });
  // The authority's ConfigMap is one of them.
  await waitFor('the first', async () => (await usedOf(path))?.['configmaps'] === '1');
  await admin.ok('POST', `${path}/configmaps`, configMap('a'));
  const { resourceVersion } = (await admin.ok('GET', `${path}/resourcequotas/quota`)).metadata;
  const watch = await admin.watch(`${path}/resourcequotas?resourceVersion=${resourceVersion}`);
  expect((await admin.post(`${path}/configmaps`, configMap('a'))).status).toBe(409);
  // Whoever comes in between is refused, but nobody knows how long that lasts.
  await watch.until(({ object }) => usedIn(object)?.['configmaps'] === '3');
  await watch.until(({ object }) => usedIn(object)?.['configmaps'] === '2');
  watch.close();
  const makesRoom = async (): Promise<boolean> =>
    (await admin.post(`${path}/configmaps`, configMap('b'))).status === 201;
  expect(await makesRoom()).toBe(true);
  expect((await admin.post(`${path}/configmaps`, configMap('c'))).status).toBe(403);
  await admin.delete(`${path}/configmaps/b`);
  await waitFor('the part of the one that was deleted', makesRoom);
});

test('a dry run is refused like the write, and takes nothing', async () => {
  const path = await namespaceWith('dry', { hard: { services: '1' } });
  const service = (name: string): object => ({ metadata: { name }, spec: { ports: [{ port: 80 }] } });
  expect((await admin.post(`${path}/services?dryRun=All`, service('a'))).status).toBe(201);
  expect(await usedOf(path)).toEqual({ services: '0' });
  await admin.ok('POST', `${path}/services`, service('a'));
  const refused = await admin.post(`${path}/services?dryRun=All`, service('b'));
  expect([refused.status, refused.json()['message']]).toEqual([
    403,
    'services "b" is forbidden: exceeded quota: quota, requested: services=1, used: services=1, limited: services=1',
  ]);
});

test('node ports count before they are allocated, and an update gives nothing back before it is stored', async () => {
  const path = await namespaceWith('ports', { hard: { 'services.nodeports': '2' } });
  const service = (name: string, type: string): object => ({
    metadata: { name },
    spec: { type, ports: [{ port: 80 }] },
  });
  const { metadata } = await admin.ok('POST', `${path}/services`, service('a', 'NodePort'));
  await admin.ok('POST', `${path}/services`, service('b', 'LoadBalancer'));
  expect(await usedOf(path)).toEqual({ 'services.nodeports': '2' });
  expect((await admin.post(`${path}/services`, service('c', 'LoadBalancer'))).status).toBe(403);
  const stale = { ...metadata, resourceVersion: '1' };
  const refused = await admin.put(`${path}/services/a`, { ...service('a', 'ClusterIP'), metadata: stale });
  expect(refused.status).toBe(409);
  expect(await usedOf(path)).toEqual({ 'services.nodeports': '2' });
  await admin.patch(`${path}/services/a`, 'merge', { spec: { type: 'ClusterIP' } });
  const makesRoom = async (): Promise<boolean> =>
    (await admin.post(`${path}/services`, service('c', 'LoadBalancer'))).status === 201;
  await waitFor('the part of the one that needs none', makesRoom);
});

test('where compute is limited, pods must say what they need', async () => {
  const path = await namespaceWith('compute', { hard: { 'limits.memory': '1Gi', cpu: '1' } });
  const answer = await admin.post(`${path}/pods`, pod('silent'));
  expect([answer.status, answer.json()['message']]).toEqual([
    403,
    'pods "silent" is forbidden: failed quota: quota: must specify cpu,limits.memory',
  ]);
});

test('a scope counts its pods only, and pods that ended count no more', async () => {
  const path = await namespaceWith('scoped', { hard: { pods: '1' }, scopes: ['NotTerminating'] });
  await admin.ok('POST', `${path}/pods`, pod('short', { activeDeadlineSeconds: 60 }));
  await admin.ok('POST', `${path}/pods`, pod('long'));
  expect((await admin.post(`${path}/pods`, pod('longer'))).status).toBe(403);
  await admin.patch(`${path}/pods/long/status`, 'merge', { status: { phase: 'Succeeded' } });
  await waitFor(
    'room for another',
    async () => (await admin.post(`${path}/pods`, pod('longer'))).status === 201,
  );
});
