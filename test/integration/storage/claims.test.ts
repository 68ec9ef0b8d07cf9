/** Keys that writes take and release in their own transaction, on a real etcd. */
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { memberHash } from '../../support/etcd/status.ts';
import { shareEtcd, type SharedEtcd } from '../../support/etcd/shared.ts';
import { directClient, forever, json, mostRecent, pods, startStorage } from '../../support/storage.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import { maxClaims, type ClaimKey, type StorageError } from '../../../src/storage/types.ts';

const ranges = 'ranges/numbers';
let shared: SharedEtcd;
let storage: EtcdStorage;
let etcd: EtcdClient;

beforeAll(async () => {
  shared = await shareEtcd();
  storage = await startStorage(shared.endpoints, { prefix: shared.prefix });
  etcd = directClient(shared.endpoints);
});

afterAll(async () => {
  etcd.close();
  await storage.close();
  await shared.close();
});

const keysOf = (...numbers: readonly number[]): ClaimKey[] =>
  numbers.map((number) => ({ collection: ranges, key: String(number) }));
const holderOf = (name: string): string => JSON.stringify({ name });
const taking = (name: string, ...numbers: readonly number[]) =>
  storage.claiming({ holder: holderOf(name), take: keysOf(...numbers), release: [] });
const releasing = (name: string, ...numbers: readonly number[]) =>
  storage.claiming({ holder: holderOf(name), take: [], release: keysOf(...numbers) });

async function holderAt(number: number): Promise<string | undefined> {
  return (await storage.get(ranges, String(number), mostRecent, forever))?.bytes.toString();
}

async function failureOf(write: Promise<unknown>): Promise<StorageError> {
  return write.then(
    () => {
      throw new Error('it was expected to fail');
    },
    (error: unknown) => error as StorageError,
  );
}

test('a creation takes its keys at its own revision', async () => {
  const { revision } = await taking('a', 1, 2).create(pods, 'a', json(1));
  const entry = await storage.get(ranges, '2', mostRecent, forever);
  expect(entry).toMatchObject({ modRevision: revision });
  expect(entry?.bytes.toString()).toBe(holderOf('a'));
});

test('keys that another object holds refuse the write whole, and are told', async () => {
  await taking('b', 10).create(pods, 'b', json(1));
  const error = await failureOf(taking('c', 9, 10, 11).create(pods, 'c', json(1)));
  expect(error).toMatchObject({ code: 'claimTaken', taken: keysOf(10) });
  expect(await storage.get(pods, 'c', mostRecent, forever)).toBeUndefined();
  expect([await holderAt(9), await holderAt(11)]).toEqual([undefined, undefined]);
});

test('of a name that exists and a key that is taken, the name is told', async () => {
  await taking('d', 20).create(pods, 'd', json(1));
  expect(await failureOf(taking('d', 20).create(pods, 'd', json(1)))).toMatchObject({ code: 'exists' });
});

test('an update exchanges keys; at another revision it changes none', async () => {
  const { revision } = await taking('e', 30, 31).create(pods, 'e', json(1));
  const exchange = storage.claiming({ holder: holderOf('e'), take: keysOf(32), release: keysOf(31) });
  expect(await failureOf(exchange.update(pods, 'e', json(2), revision + 1))).toMatchObject({
    code: 'conflict',
  });
  expect(await holderAt(31)).toBe(holderOf('e'));
  await exchange.update(pods, 'e', json(2), revision);
  expect([await holderAt(30), await holderAt(31), await holderAt(32)]).toEqual([
    holderOf('e'),
    undefined,
    holderOf('e'),
  ]);
});

test('an update at the expected revision is refused for a key that is taken', async () => {
  await taking('f', 40).create(pods, 'f', json(1));
  const { revision } = await storage.create(pods, 'g', json(1));
  const error = await failureOf(taking('g', 40).update(pods, 'g', json(2), revision));
  expect(error).toMatchObject({ code: 'claimTaken', taken: keysOf(40) });
  expect((await storage.get(pods, 'g', mostRecent, forever))?.modRevision).toBe(revision);
});

test('a deletion releases what its object holds, and nothing of others', async () => {
  const { revision } = await taking('h', 50).create(pods, 'h', json(1));
  await taking('hh', 51).create(pods, 'hh', json(1));
  await releasing('h', 50, 51, 52).delete(pods, 'h', revision);
  expect([await holderAt(50), await holderAt(51)]).toEqual([undefined, holderOf('hh')]);
});

test('the key layout is <prefix>/<collection>/<key>, with the holder as JSON', async () => {
  await taking('i', 60).create(pods, 'i', json(1));
  const { kvs } = await etcd.range({ key: Buffer.from(`${shared.prefix}/${ranges}/60`) });
  expect(JSON.parse(kvs[0]?.value.toString() ?? '')).toEqual({ name: 'i' });
});

test('etcd takes as many as a write may have', async () => {
  const many = Array.from({ length: maxClaims }, (_, i) => 1_000 + i);
  const { revision } = await taking('j', ...many).create(pods, 'j', json(1));
  await releasing('j', ...many).delete(pods, 'j', revision);
  const held = await storage.snapshot(ranges, mostRecent, forever);
  expect(many.filter((number) => held.get(String(number)) !== undefined)).toEqual([]);
});

test('an update exchanges as many as it may have for as many others, at one revision', async () => {
  const [old, fresh] = [10_000, 20_000].map((from) => Array.from({ length: maxClaims }, (_, i) => from + i));
  if (old === undefined || fresh === undefined) throw new Error('no numbers');
  const { revision } = await taking('k', ...old).create(pods, 'k', json(1));
  const exchange = { holder: holderOf('k'), take: keysOf(...fresh), release: keysOf(...old) };
  const exchanged = await storage.claiming(exchange).update(pods, 'k', json(2), revision);
  const held = await storage.snapshot(ranges, mostRecent, forever);
  expect(old.filter((number) => held.get(String(number)) !== undefined)).toEqual([]);
  expect(new Set(fresh.map((number) => held.get(String(number))?.modRevision))).toEqual(
    new Set([exchanged.revision]),
  );
});

test.each([0, 63, 64, 299])(
  'of many keys the one at %d that is taken refuses the write whole',
  async (at) => {
    const many = Array.from({ length: 300 }, (_, i) => 30_000 + 1_000 * at + i);
    const number = many[at] ?? 0;
    await taking('m', number).create(pods, `m-${String(at)}`, json(1));
    const error = await failureOf(taking('n', ...many).create(pods, `n-${String(at)}`, json(1)));
    expect(error).toMatchObject({ code: 'claimTaken', taken: keysOf(number) });
    expect(await storage.get(pods, `n-${String(at)}`, mostRecent, forever)).toBeUndefined();
    const held = await storage.snapshot(ranges, mostRecent, forever);
    expect(many.filter((key) => held.get(String(key)) !== undefined)).toEqual([number]);
  },
);

test('a write that is refused for one of many keys leaves all members with the same data', async () => {
  // Before 3.7 members other than the asked one leave out reads of a transaction, and with them their errors (etcd, issue 18667).
  await using cluster = await startEtcdCluster({ members: 3, how: 'process' });
  const many = Array.from({ length: 300 }, (_, i) => 600_000 + i);
  for (const { endpoint, name } of cluster.members) {
    const asked = await startStorage([endpoint]);
    try {
      const write = (holder: string, ...numbers: readonly number[]) =>
        asked
          .claiming({ holder, take: keysOf(...numbers), release: [] })
          .create(pods, `${holder}-${name}`, json(1));
      await write('first', many[299] ?? 0).catch(() => undefined);
      expect(await failureOf(write('second', ...many))).toMatchObject({ code: 'claimTaken' });
      const { revision } = await asked.create(pods, `after-${name}`, json(1));
      // A hash that is taken while a member writes to its disk may differ for a moment.
      await waitFor('all members to have the same data', async () => {
        const hashes = cluster.endpoints.map((url) => memberHash(url, revision));
        const all = await Promise.all(hashes).catch(() => []);
        return new Set(all).size === 1;
      });
    } finally {
      await asked.close();
    }
  }
});

test('of a name that exists and many keys that are taken, the name is told', async () => {
  const many = Array.from({ length: 300 }, (_, i) => 400_000 + i);
  await taking('o', ...many).create(pods, 'o', json(1));
  expect(await failureOf(taking('o', ...many).create(pods, 'o', json(1)))).toMatchObject({ code: 'exists' });
});

test('a deletion does not release what others hold, also of many', async () => {
  const many = Array.from({ length: 300 }, (_, i) => 500_000 + i);
  const { revision } = await taking('p', ...many).create(pods, 'p', json(1));
  await taking('q', 500_300).create(pods, 'q', json(1));
  await releasing('p', ...many, 500_300).delete(pods, 'p', revision);
  const held = await storage.snapshot(ranges, mostRecent, forever);
  expect([...many, 500_300].filter((key) => held.get(String(key)) !== undefined)).toEqual([500_300]);
});

test('of many who want the same key one gets it', async () => {
  const writers = Array.from({ length: 40 }, (_, i) => `w${String(i)}`);
  const outcomes = await Promise.allSettled(
    writers.map((name) => taking(name, 70).create(pods, name, json(1))),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const winner = writers[outcomes.findIndex(({ status }) => status === 'fulfilled')] ?? '';
  expect(await holderAt(70)).toBe(holderOf(winner));
});
