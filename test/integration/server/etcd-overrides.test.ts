/** `--etcd-servers-overrides`: events in an etcd of their own, as clients, operators and both clusters see it. */
import { join } from 'node:path';
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import { numberOf } from '../../../src/storage/etcd/etcd-messages.ts';
import type { Int64 } from '../../../src/storage/etcd/message-types.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { Service } from '../../support/service.ts';
import { directClient } from '../../support/storage.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

let main: EtcdCluster;
let other: EtcdCluster;
let direct: readonly [main: EtcdClient, other: EtcdClient];
let replica: Replica;

beforeAll(async () => {
  [main, other] = await Promise.all([
    startEtcdCluster({ how: 'process' }),
    startEtcdCluster({ how: 'process' }),
  ]);
  direct = [directClient(main.endpoints), directClient(other.endpoints)];
  const args = [
    `--etcd-servers-overrides=/events#${other.endpoints.join(';')}`,
    '--event-ttl=1h',
    '--workers=2',
  ];
  replica = await startReplica({ etcd: main, naming: 'kubernetes', args });
});
afterAll(async () => {
  await replica.close();
  for (const client of direct) client.close();
  await Promise.all([main.close(), other.close()]);
});

const events = '/api/v1/namespaces/default/events';

function event(name: string, namespace = 'default', note = '', reason = 'Tested'): object {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace, annotations: { note } },
    involvedObject: { kind: 'Pod', namespace, name: 'a' },
    reason,
    type: 'Normal',
  };
}

async function keysOf(client: EtcdClient): Promise<string[]> {
  const range = { key: Buffer.from('/registry/'), range_end: Buffer.from('/registry0'), keys_only: true };
  return (await client.range(range)).kvs
    .map(({ key }) => key.toString())
    .filter((key) => !key.includes('/~'));
}

async function revisionOf(client: EtcdClient): Promise<number> {
  return numberOf((await client.range({ key: Buffer.from('/') })).header.revision);
}

test('events are in their cluster, everything else is in the other one', async () => {
  await replica.admin.ok('POST', events, event('kept', 'default', '', 'Kept'));
  await replica.admin.ok('POST', events, event('small'));
  await replica.admin.ok('POST', events, event('large', 'default', 'x'.repeat(100_000)));
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  await replica.admin.ok('POST', '/api/v1/namespaces/default/configmaps', configMap);
  const [inMain, inOther] = [await keysOf(direct[0]), await keysOf(direct[1])];
  expect(inOther).toContain('/registry/core/events/default/small');
  expect(inOther).toContain('/registry/core/events/default/large');
  expect(inOther.filter((key) => !key.startsWith('/registry/core/events/'))).toEqual([]);
  expect(inMain).toContain('/registry/core/configmaps/default/a');
  expect(inMain.filter((key) => key.startsWith('/registry/core/events/'))).toEqual([]);
});

test('versions, watches and pages of events are those of their cluster', async () => {
  const before = await revisionOf(direct[1]);
  const { metadata } = await replica.admin.list(events);
  const version = Number(metadata.resourceVersion);
  // The main cluster, with its hundreds of objects, is far ahead.
  expect(version).toBeGreaterThanOrEqual(before);
  expect(version).toBeLessThanOrEqual(await revisionOf(direct[1]));
  expect(version).toBeLessThan(await revisionOf(direct[0]));
  const query = `resourceVersion=${metadata.resourceVersion}`;
  const watch = await replica.admin.watch(`${events}?${query}&fieldSelector=metadata.name=watched`);
  await replica.admin.ok('POST', events, event('watched'));
  expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'watched' } } });
  const first = await replica.admin.list(`${events}?limit=2`);
  await replica.admin.ok('DELETE', `${events}/watched`);
  expect(await watch.next()).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'watched' } } });
  watch.close();
  const token = encodeURIComponent(first.metadata.continue ?? '');
  const second = await replica.admin.list(`${events}?limit=100&continue=${token}`);
  const names = [...first.items, ...second.items].map((item) => item.metadata.name);
  // The state of the first page, in which it was there still.
  expect(names).toEqual(expect.arrayContaining(['large', 'small', 'watched']));
  expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
});

test('their leases are in their cluster', async () => {
  const { kvs } = await direct[1].range({ key: Buffer.from('/registry/core/events/default/small') });
  const { lease } = kvs[0] as unknown as { readonly lease: Int64 };
  expect(lease.toString()).not.toBe('0');
});

async function namesIn(path: string): Promise<(string | undefined)[]> {
  return (await replica.admin.list(path)).items.map(({ metadata }) => metadata.name);
}

test('a deleted namespace takes its events along', async () => {
  const namespaces = '/api/v1/namespaces';
  await replica.admin.ok('POST', namespaces, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'brief' },
  });
  const path = `${namespaces}/brief/events`;
  await replica.admin.ok('POST', path, event('a', 'brief'));
  await replica.admin.ok('DELETE', `${namespaces}/brief`);
  const gone = async (): Promise<boolean> => (await replica.admin.get(`${namespaces}/brief`)).status === 404;
  await waitFor('the end of the namespace', gone);
  expect((await keysOf(direct[1])).filter((key) => key.includes('/brief/'))).toEqual([]);
  expect((await replica.admin.post(path, event('b', 'brief'))).status).toBe(404);
});

test('a collection of events is deleted', async () => {
  await replica.admin.ok('DELETE', `${events}?fieldSelector=reason=Tested`);
  const names = await namesIn(events);
  expect(names).toContain('kept');
  expect(names.filter((name) => name === 'small' || name === 'large')).toEqual([]);
  const left = (await keysOf(direct[1])).filter((key) => /\/default\/(?:small|large)$/.test(key));
  expect(left).toEqual([]);
});

test('metrics name both clusters, and count events once', async () => {
  const metrics = await waitFor('the sizes of both databases', async () => {
    const { text } = await replica.admin.get('/metrics');
    const endpoints = [...main.endpoints, ...other.endpoints];
    return endpoints.every((one) => text.includes(`etcd_db_total_size_in_bytes{endpoint="${one}"}`)) && text;
  });
  expect(metrics.match(/^apiserver_storage_objects\{resource="events"\}/gm)).toHaveLength(1);
});

const configMaps = '/api/v1/namespaces/default/configmaps';

function configMap(name: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}

test('while their cluster is away everything else goes on, also after a start; it returns, and events do', async () => {
  await other.members[0]?.stop();
  const failing = async (): Promise<boolean> => {
    const { status, text } = await replica.admin.get('/readyz?verbose');
    return status === 500 && text.includes('[-]etcd-override-0 failed') && text.includes('[+]etcd ok');
  };
  await waitFor('readyz to fail', failing);
  expect((await replica.admin.get('/livez')).status).toBe(200);
  const excluded = 'exclude=etcd-override-0&exclude=etcd-override-readiness-0';
  expect((await replica.admin.get(`/readyz?${excluded}`)).status).toBe(200);
  await replica.admin.ok('POST', configMaps, configMap('meanwhile'));
  expect(await namesIn(`${events}?resourceVersion=0`)).toContain('kept');
  const refused = async (): Promise<boolean> =>
    (await replica.admin.post(events, event('refused'))).status === 503;
  await waitFor('events to be refused', refused, { timeout: 30_000 });
  expect(await replica.stop()).toBe(0);
  await replica.spawn();
  await waitFor(
    'everything else after a start',
    async () => {
      const answer = await replica.admin.get(`${configMaps}/meanwhile`).catch(() => undefined);
      return answer?.status === 200;
    },
    { timeout: 30_000 },
  );
  expect((await replica.admin.get(`${events}?resourceVersion=0`)).status).toBe(503);
  expect((await replica.admin.get('/readyz?verbose')).text).toContain('[-]etcd-override-readiness-0 failed');
  await other.members[0]?.start();
  await replica.ready();
  expect(await namesIn(events)).toContain('kept');
  await replica.admin.ok('POST', events, event('after'));
});

test('beside an own etcd, over TLS with the given certificates', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await makeTempFolder('etcd-overrides');
  stack.defer(() => folder.remove());
  const secured = stack.use(await startEtcdCluster({ how: 'process', tls: true }));
  const { tls, endpoints } = secured;
  const service = await Service.start(join(folder.path, '.orch'), [
    `--etcd-servers-overrides=/events#${endpoints.join(';')}`,
    `--etcd-cafile=${tls?.caFile ?? ''}`,
    `--etcd-certfile=${tls?.certFile ?? ''}`,
    `--etcd-keyfile=${tls?.keyFile ?? ''}`,
  ]);
  stack.defer(async () => {
    await service.child.stop();
  });
  await waitFor('readyz', async () => (await service.ask({ path: '/readyz' })).status === 200);
  expect((await service.ask({ method: 'POST', path: events, body: event('own') })).status).toBe(201);
  const client = directClient(endpoints, tls);
  stack.defer(() => client.close());
  expect(await keysOf(client)).toContain('/registry/core/events/default/own');
  expect((await service.ask({ path: `${events}/own` })).status).toBe(200);
  expect(await service.stop()).toBe(0);
});
