/** Component statuses over HTTPS: they are stored nowhere and yet given in every form. */
import type { ApiClient } from '../../support/client.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../../support/replica.ts';

let etcd: EtcdCluster;
let replica: Replica;
let admin: ApiClient;
const path = '/api/v1/componentstatuses';
const asTable = 'application/json;as=Table;g=meta.orch.io;v=v1';

beforeAll(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
  replica = await startReplica({ etcd });
  ({ admin } = replica);
}, 60_000);
afterAll(async () => {
  await replica[Symbol.asyncDispose]();
  await etcd[Symbol.asyncDispose]();
});

test('as a table, with the columns that people know', async () => {
  const table = (await admin.get(path, { accept: asTable })).json() as unknown as {
    columnDefinitions: { name: string }[];
    rows: { cells: unknown[]; object: object }[];
  };
  expect(table.columnDefinitions.map(({ name }) => name)).toEqual(['Name', 'Status', 'Message', 'Error']);
  expect(table.rows.map(({ cells }) => cells.slice(0, 3))).toEqual([
    ['etcd', 'Healthy', 'ok'],
    ['etcd-follower', 'Healthy', 'ok'],
  ]);
  expect(table.rows[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'etcd' } });
  const one = await admin.get(`${path}/etcd`, { accept: asTable });
  expect(one.json()).toMatchObject({ kind: 'Table', rows: [{ cells: ['etcd', 'Healthy', 'ok', ''] }] });
});

test('as JSON, YAML and metadata; what is missing is not found', async () => {
  const list = await admin.list(path);
  expect(list).toMatchObject({ kind: 'ComponentStatusList', apiVersion: 'v1' });
  expect(list.items).toMatchObject([
    { metadata: { name: 'etcd' }, conditions: [{ type: 'Healthy', status: 'True' }] },
    { metadata: { name: 'etcd-follower' } },
  ]);
  expect(list.items[0]?.metadata.resourceVersion).toBeUndefined();
  const yaml = await admin.get(`${path}/etcd`, { accept: 'application/yaml' });
  expect(yaml.text).toContain('kind: ComponentStatus\n');
  const accept = 'application/json;as=PartialObjectMetadataList;g=meta.orch.io;v=v1';
  expect((await admin.get(path, { accept })).json()).toMatchObject({ kind: 'PartialObjectMetadataList' });
  expect((await admin.get(`${path}/none`, { accept: asTable })).status).toBe(404);
  expect((await admin.get(path, { accept: 'text/html' })).status).toBe(406);
});

test('the kind is deprecated without a replacement, as its readers are told', async () => {
  for (const asked of [path, `${path}/etcd`]) {
    const { headers } = await admin.get(asked);
    expect(headers['warning']).toBe('299 - "v1 ComponentStatus is deprecated in v1.19+"');
  }
  expect((await admin.get('/metrics')).text).toContain(
    'apiserver_requested_deprecated_apis{group="",version="v1",resource="componentstatuses",subresource="",removed_release=""} 1',
  );
});
