/** NodeRestriction over HTTPS: two nodes with certificates and the role of nodes, each with pods of its own. */
import type { Answer, ApiClient, ApiObject } from '../../support/client.ts';
import { untilPodsMayRun } from '../../support/default-account.ts';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { makeServicePki, startReplica } from '../../support/replica.ts';
import { binding, rbac, until } from '../../support/authorized-server.ts';
import { pod } from '../../support/writes.ts';

let stack: AsyncDisposableStack;
let admin: ApiClient;
const nodes = new Map<string, ApiClient>();
const path = '/api/v1/namespaces/default';
const leases = '/apis/coordination.orch.io/v1/namespaces';

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  const pki = stack.use(await makeServicePki());
  const args = ['--enable-admission-plugins=NodeRestriction', '--controllers=serviceaccount'];
  const replica = stack.use(await startReplica({ etcd, pki, args }));
  admin = replica.admin;
  for (const name of ['n1', 'n2']) {
    const who = { commonName: `system:node:${name}`, organizations: ['system:nodes'] };
    const client = replica.client(await pki.authority.client(who));
    stack.defer(() => client.close());
    nodes.set(name, client);
  }
  await admin.ok(
    'POST',
    `${rbac}/clusterrolebindings`,
    binding('nodes', 'ClusterRole system:node', 'Group system:nodes'),
  );
  await until(as('n2'), ['GET', '/api/v1/nodes'], 200);
  await untilPodsMayRun(admin);
  for (const name of ['n1', 'n2']) {
    await as(name).ok('POST', '/api/v1/nodes', { metadata: { name, labels: { 'orch.io/os': 'linux' } } });
    await admin.ok('POST', `${path}/pods`, pod(`of-${name}`, { nodeName: name }));
  }
}, 60_000);

afterAll(async () => {
  await stack.disposeAsync();
});

function as(name: string): ApiClient {
  const client = nodes.get(name);
  if (!client) throw new Error(`no node ${name}`);
  return client;
}

function told(answer: Answer): unknown[] {
  return answer.status < 400 ? [answer.status] : [answer.status, answer.json()['message']];
}

async function uidOf(object: string): Promise<string> {
  return (await admin.ok('GET', object)).metadata.uid ?? '';
}

test('a node changes itself and no other', async () => {
  const labels = { metadata: { labels: { 'node.orch.io/rack': 'r1' } } };
  expect((await as('n1').patch('/api/v1/nodes/n1', 'merge', labels)).status).toBe(200);
  expect(told(await as('n1').patch('/api/v1/nodes/n2', 'merge', labels))).toEqual([
    403,
    'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
  ]);
  const status = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
  expect((await as('n1').patch('/api/v1/nodes/n1/status', 'merge', status)).status).toBe(200);
  expect((await as('n1').patch('/api/v1/nodes/n2/status', 'merge', status)).status).toBe(403);
  const role = { metadata: { labels: { 'node-role.orch.io/master': '' } } };
  expect(told(await as('n1').patch('/api/v1/nodes/n1', 'merge', role))).toEqual([
    403,
    'nodes "n1" is forbidden: node "n1" is not allowed to modify labels: node-role.orch.io/master',
  ]);
});

test('a node tells of its own pods, evicts and deletes them', async () => {
  const status = { status: { phase: 'Running' } };
  const own = `${path}/pods/of-n1`;
  const other = `${path}/pods/of-n2`;
  expect((await as('n1').patch(`${own}/status`, 'merge', status)).status).toBe(200);
  expect(told(await as('n1').patch(`${other}/status`, 'merge', status))).toEqual([
    403,
    'pods "of-n2" is forbidden: node "n1" can only update pod status for pods with spec.nodeName set to itself',
  ]);
  const evict = (name: string): Promise<Answer> =>
    as('n1').post(`${path}/pods/${name}/eviction`, {
      metadata: { name },
      deleteOptions: { gracePeriodSeconds: 0 },
    });
  expect(told(await evict('of-n2'))).toEqual([
    403,
    'pods "of-n2" is forbidden: node "n1" can only evict pods with spec.nodeName set to itself',
  ]);
  expect((await as('n1').delete(other)).status).toBe(403);
  expect((await as('n1').delete(own, { gracePeriodSeconds: 0 })).status).toBe(200);
  expect((await admin.get(own)).status).toBe(404);
  await admin.ok('POST', `${path}/pods`, pod('of-n1', { nodeName: 'n1' }));
  expect(told(await evict('of-n1'))).toEqual([201]);
  expect((await admin.get(own)).status).toBe(404);
});

test('a node mirrors pods that rest on nothing of the service', async () => {
  const uid = await uidOf('/api/v1/nodes/n1');
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n1', uid, controller: true };
  const mirror = (name: string, spec: object): object => ({
    metadata: { name, annotations: { 'orch.io/config.mirror': 'hash' }, ownerReferences: [owner] },
    spec: { ...(pod(name) as ApiObject & { spec: object }).spec, nodeName: 'n1', ...spec },
  });
  const made = await as('n1').ok('POST', `${path}/pods`, mirror('static', {}));
  expect((made['spec'] as { serviceAccountName?: string }).serviceAccountName).toBeUndefined();
  const secret = { volumes: [{ name: 'v', secret: { secretName: 's' } }] };
  expect((await as('n1').post(`${path}/pods`, mirror('curious', secret))).status).toBe(403);
  expect(told(await as('n1').post(`${path}/pods`, pod('plain', { nodeName: 'n1' })))).toEqual([
    403,
    'pods "plain" is forbidden: pod does not have "orch.io/config.mirror" annotation, node "n1" can only create mirror pods',
  ]);
});

test('a node asks for tokens of the accounts that its pods run as', async () => {
  const ask = async (name: string): Promise<Answer> => {
    const uid = await uidOf(`${path}/pods/${name}`);
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name, uid };
    return as('n2').post(`${path}/serviceaccounts/default/token`, { spec: { boundObjectRef } });
  };
  await admin.request('POST', `${path}/pods`, pod('of-n1', { nodeName: 'n1' }));
  expect(told(await ask('of-n2'))).toEqual([201]);
  expect(told(await ask('of-n1'))).toEqual([
    403,
    'serviceaccounts "default" is forbidden: node requested token bound to a pod scheduled on a different node',
  ]);
  expect((await as('n2').post(`${path}/serviceaccounts/default/token`, {})).status).toBe(403);
});

test('a node keeps its lease and its CSINode', async () => {
  const lease = (name: string): object => ({ metadata: { name }, spec: { holderIdentity: name } });
  expect((await as('n1').post(`${leases}/orch-node-lease/leases`, lease('n1'))).status).toBe(201);
  expect((await as('n1').post(`${leases}/orch-node-lease/leases`, lease('n2'))).status).toBe(403);
  expect(told(await as('n1').post(`${leases}/default/leases`, lease('n1')))).toEqual([
    403,
    'leases.coordination.orch.io "n1" is forbidden: can only access leases in the "orch-node-lease" system namespace',
  ]);
  const csiNodes = '/apis/storage.orch.io/v1/csinodes';
  const csiNode = (name: string): object => ({ metadata: { name }, spec: { drivers: [] } });
  expect((await as('n1').post(csiNodes, csiNode('n1'))).status).toBe(201);
  expect((await as('n1').post(csiNodes, csiNode('n2'))).status).toBe(403);
});
