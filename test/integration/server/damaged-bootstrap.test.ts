/**
 * Objects that a service begins with, damaged in etcd: a replica starts and serves, and says which they are. The mandatory
 * flow control is in force without them.
 */
import { encodeStored } from '../../../src/codec/stored.ts';
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import { shareEtcd } from '../../support/etcd/shared.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { directClient } from '../../support/storage.ts';
import { waitFor } from '../../support/wait-for.ts';

const owned = new AsyncDisposableStack();
let direct: EtcdClient;
let prefix: string;
let replica: Replica;

const flow = 'flowcontrol.apiserver.orch.io';
const stored = (apiVersion: string, kind: string, name: string, rest: object): string =>
  encodeStored({ kind, apiVersion, metadata: { name }, ...rest }).toString();

const values: Readonly<Record<string, string>> = {
  [`${flow}/flowschemas/catch-all`]: stored(`${flow}/v1beta1`, 'FlowSchema', 'catch-all', { spec: 7 }),
  [`${flow}/flowschemas/exempt`]: stored(`${flow}/v1beta1`, 'FlowSchema', 'exempt', {
    spec: { rules: [null, 7] },
  }),
  [`${flow}/prioritylevelconfigurations/exempt`]: stored(
    `${flow}/v1beta1`,
    'PriorityLevelConfiguration',
    'exempt',
    {
      ...{ spec: [7], status: [7] },
    },
  ),
  'core/namespaces/orch-public': '{"kind":"Namespace","apiVersion":"v1"',
  'scheduling.orch.io/priorityclasses/system-node-critical': '{"kind":"Pri',
  'rbac.authorization.orch.io/clusterroles/view':
    '{"kind":"ClusterRole","apiVersion":"rbac.authorization.orch.io/v1","rules":[]}',
  'apiregistration.orch.io/apiservices/v1.apps': stored(
    'apiregistration.orch.io/v1',
    'APIService',
    'v1.apps',
    {
      ...{ spec: [7], status: [7] },
    },
  ),
  'apiregistration.orch.io/apiservices/v1.policy': '{"kind":"API',
  'core/services/default/orch': stored('v1', 'Service', 'orch', { spec: null }),
  'discovery.orch.io/endpointslices/default/orch': stored('discovery.orch.io/v1', 'EndpointSlice', 'orch', {
    ...{ endpoints: 7, ports: {} },
  }),
};

async function put(key: string, value: string): Promise<void> {
  await direct.put({ key: Buffer.from(`${prefix}/${key}`), value: Buffer.from(value) });
}

beforeAll(async () => {
  const etcd = owned.use(await shareEtcd());
  ({ prefix } = etcd);
  direct = directClient(etcd.endpoints);
  owned.defer(() => {
    direct.close();
  });
  for (const [key, value] of Object.entries(values)) await put(key, value);
  replica = owned.use(await startReplica({ etcd }));
}, 60_000);
afterAll(() => owned.disposeAsync());

const [schemas, levels] = [
  `/apis/${flow}/v1beta1/flowschemas`,
  `/apis/${flow}/v1beta1/prioritylevelconfigurations`,
];

test('the replica is ready, and what is damaged is told by name', () => {
  for (const told of [
    ...['flowschemas/catch-all', 'flowschemas/exempt', 'prioritylevelconfigurations/exempt'],
    ...['namespaces/orch-public', 'clusterroles/view', 'priorityclasses/system-node-critical'],
    ...['apiservices/v1.apps', 'apiservices/v1.policy'],
  ])
    expect(replica.logs()).toContain(`"object":"${told}"`);
});

test('all other objects of the start are there', async () => {
  for (const path of [
    ...['/api/v1/namespaces/orch-system', '/apis/rbac.authorization.orch.io/v1/clusterroles/admin'],
    ...[`${schemas}/probes`, `${levels}/catch-all`, '/apis/apiregistration.orch.io/v1/apiservices/v1.batch'],
    ...['/apis/apps/v1/deployments', '/apis/policy/v1/poddisruptionbudgets'],
  ])
    expect([path, (await replica.admin.get(path)).status]).toEqual([path, 200]);
});

test('an administrator deletes a damaged object, and it is made again', async () => {
  await replica.admin.ok('DELETE', `${schemas}/exempt`);
  const spec = await waitFor('a whole one', async () => {
    const answer = await replica.admin.get(`${schemas}/exempt`);
    return answer.status === 200 && answer.json()['spec'];
  });
  expect(spec).toMatchObject({ priorityLevelConfiguration: { name: 'exempt' } });
});

test('a mandatory schema that comes to name a level which is missing leaves the built-in one in force', async () => {
  const spec = { priorityLevelConfiguration: { name: 'nowhere' } };
  const pid = await replica.admin.get('/livez');
  await put(`${flow}/flowschemas/catch-all`, stored(`${flow}/v1beta1`, 'FlowSchema', 'catch-all', { spec }));
  // Written again as it has to be, which takes a reading of the damaged one.
  await waitFor('the schema to be restored', async () => {
    const { text } = await replica.admin.get(`${schemas}/catch-all`);
    return text.includes('"catch-all"') && !text.includes('nowhere');
  });
  expect(pid.status).toBe(200);
  expect(replica.logs()).not.toContain('a worker exited');
});

test('flow control is read with the same care where its group is not served', async () => {
  await using etcd = await shareEtcd();
  const client = directClient(etcd.endpoints);
  for (const [key, text] of Object.entries(values).filter(([key]) => key.startsWith(flow)))
    await client.put({ key: Buffer.from(`${etcd.prefix}/${key}`), value: Buffer.from(text) });
  client.close();
  const args = [`--runtime-config=${flow}/v1beta1=false`];
  await using unserved = await startReplica({ etcd, args });
  expect((await unserved.admin.get(schemas)).status).toBe(404);
  for (const object of ['flowschemas/catch-all', 'flowschemas/exempt', 'prioritylevelconfigurations/exempt'])
    expect(unserved.logs()).toContain(`"object":"${object}"`);
  expect((await unserved.admin.get('/api/v1/namespaces')).status).toBe(200);
  const { text } = await unserved.admin.get('/metrics');
  expect(text).toMatch(/dispatched_requests_total\{priority_level="exempt",flow_schema="exempt"\} [1-9]/);
}, 60_000);
