/** `--authorization-mode=Node,RBAC,ABAC` over HTTPS: agents of two nodes without any binding, and a user of the policy file. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, ApiClient } from '../../support/client.ts';
import { shareEtcd } from '../../support/etcd/shared.ts';
import { makeServicePki, startReplica } from '../../support/replica.ts';
import { until } from '../../support/authorized-server.ts';
import { pod } from '../../support/writes.ts';

let stack: AsyncDisposableStack;
let admin: ApiClient;
const clients = new Map<string, ApiClient>();
const path = '/api/v1/namespaces/default';

const policy = {
  apiVersion: 'abac.authorization.orch.io/v1beta1',
  kind: 'Policy',
  spec: { user: 'ann', namespace: 'default', resource: 'configmaps', readonly: true },
};

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const etcd = stack.use(await shareEtcd());
  const pki = stack.use(await makeServicePki());
  const policyFile = join(pki.folder, 'policy.jsonl');
  writeFileSync(policyFile, `# policies\n${JSON.stringify(policy)}\n`);
  const args = [
    '--authorization-mode=Node,RBAC,ABAC',
    `--authorization-policy-file=${policyFile}`,
    '--disable-admission-plugins=ServiceAccount,StorageObjectInUseProtection',
    '--controllers=namespace',
  ];
  const replica = stack.use(await startReplica({ etcd, pki, args }));
  admin = replica.admin;
  for (const name of ['n1', 'n2', 'ann']) {
    const isNode = name !== 'ann';
    const who = isNode
      ? { commonName: `system:node:${name}`, organizations: ['system:nodes'] }
      : { commonName: name, organizations: [] };
    const client = replica.client(await pki.authority.client(who));
    stack.defer(() => client.close());
    clients.set(name, client);
  }
  for (const name of ['used', 'other']) {
    await admin.ok('POST', `${path}/secrets`, { metadata: { name } });
    await admin.ok('POST', `${path}/configmaps`, { metadata: { name } });
  }
}, 60_000);

afterAll(() => stack.disposeAsync());

function as(name: string): ApiClient {
  const client = clients.get(name);
  if (!client) throw new Error(`no client ${name}`);
  return client;
}

async function told(sent: Promise<Answer>): Promise<unknown[]> {
  const answer = await sent;
  return answer.status < 400 ? [answer.status] : [answer.status, answer.json()['message']];
}

test('an agent reads the secret of a pod from the binding of the pod to its end', async () => {
  const secret = `${path}/secrets/used`;
  const refusal = (node: string): unknown[] => [
    403,
    `secrets "used" is forbidden: User "system:node:${node}" cannot get resource "secrets" in API group "" in the ` +
      `namespace "default": no relationship found between node '${node}' and this object; No policy matched.`,
  ];
  expect(await told(as('n1').get(secret))).toEqual(refusal('n1'));
  await admin.ok('POST', `${path}/pods`, {
    ...pod('p', { volumes: [{ name: 's', secret: { secretName: 'used' } }] }),
  });
  const target = { apiVersion: 'v1', kind: 'Node', name: 'n1' };
  await admin.ok('POST', `${path}/pods/p/binding`, { metadata: { name: 'p' }, target });
  await until(as('n1'), ['GET', secret], 200);
  expect((await as('n1').get(`${path}/secrets?fieldSelector=metadata.name=used`)).status).toBe(200);
  expect((await as('n1').get(`${path}/secrets`)).status).toBe(403);
  expect((await as('n1').get(`${path}/secrets/other`)).status).toBe(403);
  expect(await told(as('n2').get(secret))).toEqual(refusal('n2'));
  await admin.ok('DELETE', `${path}/pods/p?gracePeriodSeconds=0`);
  await until(as('n1'), ['GET', secret], 403);
});

test('the plugin NodeRestriction is enabled with the mode', async () => {
  expect((await as('n1').post('/api/v1/nodes', { metadata: { name: 'n1' } })).status).toBe(201);
  expect(await told(as('n1').post('/api/v1/nodes', { metadata: { name: 'n2' } }))).toEqual([
    403,
    'nodes "n2" is forbidden: node "n1" is not allowed to modify node "n2"',
  ]);
});

test('a user of the policy file may do what a policy says', async () => {
  expect((await as('ann').get(`${path}/configmaps/used`)).status).toBe(200);
  expect(await told(as('ann').delete(`${path}/configmaps/used`))).toEqual([
    403,
    'configmaps "used" is forbidden: User "ann" cannot delete resource "configmaps" in API group "" in the namespace ' +
      '"default": No policy matched.',
  ]);
});

test('the metrics tell how long changes of the graph took', async () => {
  const { text } = await admin.get('/metrics');
  expect(text).toMatch(/^node_authorizer_graph_actions_duration_seconds_count\{operation="AddPod"\} [1-9]/m);
});
