/** Objects that expire: etcd deletes them some time after their last write, and the view and its watches learn of it. */
import { execFileSync } from 'node:child_process';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import type { Int64 } from '../../../src/storage/etcd/message-types.ts';
import type { ExpiryOptions } from '../../../src/storage/options.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import {
  directClient,
  forever,
  json,
  mostRecent,
  pods,
  startStorage,
  watchAfter,
} from '../../support/storage.ts';

const collection = 'core/events';
let cluster: EtcdCluster;
let etcd: EtcdClient;
let storage: EtcdStorage;
let prefixes = 0;

beforeAll(async () => {
  cluster = await startEtcdCluster({ how: 'process' });
  etcd = directClient(cluster.endpoints);
});
afterEach(() => storage.close());
afterAll(async () => {
  etcd.close();
  await cluster.close();
});

async function start(expiry: Partial<ExpiryOptions> = {}): Promise<EtcdStorage> {
  prefixes += 1;
  storage = await startStorage(cluster.endpoints, {
    prefix: `/t${String(prefixes)}`,
    expiry: { collections: new Set([collection]), ttlSeconds: 3_600, leaseReuseSeconds: 60, ...expiry },
  });
  return storage;
}

/** The lease of a key; '0' for none. */
async function leaseOf(key: string): Promise<string> {
  const { kvs } = await etcd.range({ key: Buffer.from(`/t${String(prefixes)}/${key}`) });
  const { lease } = kvs[0] as unknown as { readonly lease: Int64 };
  return lease.toString();
}

function etcdctl(...words: string[]): string {
  const env = { ...process.env, ETCDCTL_API: '3' };
  const all = [`--endpoints=${cluster.endpoints.join(',')}`, ...words];
  return execFileSync('etcdctl', all, { env, encoding: 'utf8' });
}

test('an object expires, in the view and as a deletion in watches', async () => {
  await start({ ttlSeconds: 2 });
  const { revision } = await storage.create(collection, 'ns/a', json(1));
  await storage.create(pods, 'ns/a', json(1));
  const watch = watchAfter(storage, revision - 1, { collection });
  await waitFor('the deletion', () => watch.events.length === 2);
  expect(watch.events.map(({ type, key }) => `${type} ${key}`)).toEqual(['put ns/a', 'delete ns/a']);
  expect(await storage.get(collection, 'ns/a', mostRecent, forever)).toBeUndefined();
  expect(await storage.get(pods, 'ns/a', mostRecent, forever)).toBeDefined();
  await expect(storage.update(collection, 'ns/a', json(2), revision)).rejects.toMatchObject({
    code: 'notFound',
  });
});

test('objects of other collections have no lease; those written within the window share one', async () => {
  await start();
  await storage.create(pods, 'ns/a', json(1));
  await storage.create(collection, 'ns/a', json(1));
  await storage.create(collection, 'ns/b', json(1));
  expect(await leaseOf('core/pods/ns/a')).toBe('0');
  const lease = await leaseOf('core/events/ns/a');
  expect(lease).not.toBe('0');
  expect(await leaseOf('core/events/ns/b')).toBe(lease);
});

test('after the window an update moves an object to another lease', async () => {
  await start({ leaseReuseSeconds: 0 });
  const { revision } = await storage.create(collection, 'ns/a', json(1));
  const lease = await leaseOf('core/events/ns/a');
  await storage.update(collection, 'ns/a', json(2), revision);
  expect(['0', lease]).not.toContain(await leaseOf('core/events/ns/a'));
});

test('a lease that etcd has lost is replaced, and the write goes on', async () => {
  await start();
  const { revision } = await storage.create(collection, 'ns/a', json(1));
  const lease = BigInt(await leaseOf('core/events/ns/a')).toString(16);
  etcdctl('lease', 'revoke', lease);
  await waitFor('the deletion', () => storage.revision() > revision);
  await storage.create(collection, 'ns/b', json(1));
  expect(await leaseOf('core/events/ns/b')).not.toBe('0');
});

test('a repeated put of a backup keeps the lease', async () => {
  await start();
  await storage.create(collection, 'ns/a', json(1));
  const lease = await leaseOf('core/events/ns/a');
  const key = Buffer.from(`/t${String(prefixes)}/core/events/ns/a`);
  await etcd.put({ key, ignore_value: true, ignore_lease: true });
  expect(await leaseOf('core/events/ns/a')).toBe(lease);
});
