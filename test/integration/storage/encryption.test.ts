/** Encrypted values on a real etcd: cipher text there, text in the view; values without a key fail alone. */
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { EncryptionProvider, EncryptionRule } from '../../../src/storage/encryption/rules.ts';
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import {
  directClient,
  forever,
  json,
  mostRecent,
  pods,
  recordingLogger,
  startStorage,
  untilReached,
  watchAfter,
  watchFrom,
} from '../../support/storage.ts';

const secrets = 'core/secrets';
const secret = (name: string): string => Buffer.alloc(32, name).toString('base64');
const cipher = (name: string, kind: 'aesgcm' | 'aescbc' | 'secretbox' = 'aesgcm'): EncryptionProvider => ({
  kind,
  keys: [{ name, secret: secret(name) }],
});
const rules = (...providers: EncryptionProvider[]): EncryptionRule[] => [
  { resources: ['secrets'], providers },
];

let cluster: EtcdCluster;
let etcd: EtcdClient;
let prefix = '';
let lines: string[];
let running: EtcdStorage[];

beforeAll(async () => {
  cluster = await startEtcdCluster({ how: 'process' });
  etcd = directClient(cluster.endpoints);
});
beforeEach(() => {
  prefix = `/t${String(Number(prefix.slice(2)) + 1)}`;
  lines = [];
  running = [];
});
afterEach(async () => {
  for (const storage of running) await storage.close();
});
afterAll(async () => {
  etcd.close();
  await cluster.close();
});

async function start(by: readonly EncryptionRule[] | undefined): Promise<EtcdStorage> {
  const encryption = { word: 'k8s', rules: by };
  const storage = await startStorage(cluster.endpoints, {
    prefix,
    encryption,
    logger: recordingLogger(lines),
  });
  running.push(storage);
  return storage;
}

async function stored(collection: string, key: string): Promise<string> {
  const { kvs } = await etcd.range({ key: Buffer.from(`${prefix}/${collection}/${key}`) });
  return kvs[0]?.value.toString('latin1') ?? '';
}

const read = async (storage: EtcdStorage, key: string): Promise<string | undefined> =>
  (await storage.get(secrets, key, mostRecent, forever))?.bytes.toString();
const value = (key: string): Buffer => json({ hidden: key });

test.each(['aesgcm', 'aescbc', 'secretbox'] as const)(
  '%s: etcd has cipher text, reads and watches have the text',
  async (kind) => {
    const storage = await start(rules(cipher('key1', kind)));
    const watch = watchFrom(
      storage,
      { kind: 'stateThenChanges', freshness: { kind: 'any' } },
      { collection: secrets },
    );
    const { revision } = await storage.create(secrets, 'ns/a', value('a'));
    const second = await storage.update(secrets, 'ns/a', value('b'), revision);
    await storage.create(pods, 'ns/a', value('a'));
    expect(await stored(secrets, 'ns/a')).toMatch(new RegExp(`^k8s:enc:${kind}:v1:key1:`));
    expect(await stored(secrets, 'ns/a')).not.toContain('hidden');
    expect(await stored(pods, 'ns/a')).toContain('hidden');
    expect(await read(storage, 'ns/a')).toBe('{"hidden":"b"}');
    await untilReached(watch, second.revision);
    expect(watch.events.map(({ entry }) => entry.bytes.toString())).toEqual([
      '{"hidden":"a"}',
      '{"hidden":"b"}',
    ]);
    const past = await storage.get(secrets, 'ns/a', { kind: 'exact', revision }, forever);
    expect(past?.bytes.toString()).toBe('{"hidden":"a"}');
    const other = await start(rules(cipher('key1', kind)));
    expect(await read(other, 'ns/a')).toBe('{"hidden":"b"}');
    const replayed = watchAfter(other, revision - 1, { collection: secrets });
    await untilReached(replayed, second.revision);
    expect(replayed.events.map(({ previous }) => previous?.bytes.toString())).toEqual([
      undefined,
      '{"hidden":"a"}',
    ]);
    await storage.delete(secrets, 'ns/a', second.revision);
    expect(await read(other, 'ns/a')).toBeUndefined();
  },
);

test('a rotation: what is stored is told to be old, an equal write renews it, and then the old key is not needed', async () => {
  const storage = await start(rules(cipher('old', 'aescbc')));
  const first = await storage.create(secrets, 'ns/a', value('a'));
  expect((await storage.get(secrets, 'ns/a', mostRecent, forever))?.isRecoded).toBe(false);
  storage.encryptBy(rules(cipher('new'), cipher('old', 'aescbc')));
  const entry = await storage.get(secrets, 'ns/a', mostRecent, forever);
  expect(entry?.isRecoded).toBe(true);
  await storage.update(secrets, 'ns/a', value('a'), first.revision);
  expect((await storage.get(secrets, 'ns/a', mostRecent, forever))?.isRecoded).toBe(false);
  expect(await stored(secrets, 'ns/a')).toMatch(/^k8s:enc:aesgcm:v1:new:/);
  expect(await read(await start(rules(cipher('new'))), 'ns/a')).toBe('{"hidden":"a"}');
});

test('values without a key fail by themselves, and are told by name without their contents', async () => {
  const writer = await start(rules(cipher('lost')));
  await writer.create(secrets, 'one/lost', value('a'));
  await writer.create(pods, 'one/pod', json(1));
  const storage = await start(rules(cipher('mine')));
  expect(storage.stats().unreadable).toBe(1);
  await storage.create(secrets, 'two/mine', value('b'));
  const lost = { code: 'unreadable', message: expect.stringContaining('core/secrets/one/lost') as string };
  await expect(read(storage, 'one/lost')).rejects.toMatchObject(lost);
  expect(await read(storage, 'two/mine')).toBe('{"hidden":"b"}');
  const snapshot = await storage.snapshot(secrets, mostRecent, forever);
  expect(snapshot.unreadableIn?.('')).toMatchObject(lost);
  expect(snapshot.unreadableIn?.('one/')).toMatchObject(lost);
  expect(snapshot.unreadableIn?.('two/')).toBeUndefined();
  expect((await storage.snapshot(pods, mostRecent, forever)).unreadableIn?.('')).toBeUndefined();
  await expect(storage.create(secrets, 'one/lost', value('c'))).rejects.toMatchObject({ code: 'exists' });
  await expect(storage.update(secrets, 'one/lost', value('c'), 1)).rejects.toMatchObject(lost);
  expect(lines.filter((line) => line.includes('one/lost'))).not.toHaveLength(0);
  expect(lines.join('\n')).not.toContain(secret('mine'));
  expect(lines.join('\n')).not.toContain('hidden');
});

test('a watch ends when an object of its own cannot be read any more; others go on', async () => {
  const [storage, writer] = [
    await start(rules(cipher('mine'))),
    await start(rules(cipher('theirs'), cipher('mine'))),
  ];
  const first = await storage.create(secrets, 'one/a', value('a'));
  const concerned = watchAfter(storage, first.revision, { collection: secrets, prefix: 'one/' });
  const other = watchAfter(storage, first.revision, { collection: secrets, prefix: 'two/' });
  const behind = first.revision;
  await writer.update(secrets, 'one/a', value('b'), first.revision);
  await waitFor('the end of the watch', () => concerned.ended !== undefined);
  expect(concerned.ended).toMatchObject({ code: 'unreadable' });
  expect(concerned.events).toEqual([]);
  await expect(read(storage, 'one/a')).rejects.toMatchObject({ code: 'unreadable' });
  const late = watchAfter(storage, behind, { collection: secrets, prefix: 'one/' });
  await waitFor('the end of the late watch', () => late.ended !== undefined);
  expect(late.ended).toMatchObject({ code: 'unreadable' });
  const next = await storage.create(secrets, 'two/a', value('c'));
  await untilReached(other, next.revision);
  expect(other.ended).toBeUndefined();
  const third = await writer.update(
    secrets,
    'one/a',
    value('d'),
    (await writer.get(secrets, 'one/a', mostRecent, forever))?.modRevision ?? 0,
  );
  await writer.delete(secrets, 'one/a', third.revision);
  expect(await read(storage, 'one/a')).toBeUndefined();
  expect(storage.stats().unreadable).toBe(0);
});

test.each(['replaced', 'removed'] as const)(
  'a watch that began while an object could not be read ends when it is %s, since the change cannot be told',
  async (how) => {
    const [storage, writer] = [
      await start(rules(cipher('mine'))),
      await start(rules(cipher('theirs'), cipher('mine'))),
    ];
    const first = await storage.create(secrets, 'one/a', value('a'));
    const second = await writer.update(secrets, 'one/a', value('b'), first.revision);
    await waitFor('the unreadable object', () => storage.stats().unreadable === 1);
    // Its client has the object from the other replica.
    const live = watchAfter(storage, second.revision, { collection: secrets, prefix: 'one/' });
    const other = watchAfter(storage, second.revision, { collection: secrets, prefix: 'two/' });
    await waitFor('the watches', () => live.established + other.established === 2);
    writer.encryptBy(rules(cipher('mine'), cipher('theirs')));
    if (how === 'replaced') await writer.update(secrets, 'one/a', value('c'), second.revision);
    else await writer.delete(secrets, 'one/a', second.revision);
    await waitFor('the end of the watch', () => live.ended !== undefined);
    expect(live.ended).toMatchObject({ code: 'compacted' });
    expect(live.events).toEqual([]);
    // Nor can it be told from history.
    const late = watchAfter(storage, second.revision, { collection: secrets, prefix: 'one/' });
    await waitFor('the end of the late watch', () => late.ended !== undefined);
    expect([late.ended?.code, late.events]).toEqual(['compacted', []]);
    const next = await storage.create(secrets, 'two/a', value('d'));
    await untilReached(other, next.revision);
    expect(other.ended).toBeUndefined();
  },
);

test('with the missing key everything is read again', async () => {
  const writer = await start(rules(cipher('theirs')));
  await writer.create(secrets, 'ns/a', value('a'));
  const storage = await start(rules(cipher('mine')));
  await expect(read(storage, 'ns/a')).rejects.toMatchObject({ code: 'unreadable' });
  const { loads } = storage.stats();
  storage.encryptBy(rules(cipher('mine'), cipher('theirs')));
  await waitFor('another load', () => storage.stats().loads > loads);
  expect(await read(storage, 'ns/a')).toBe('{"hidden":"a"}');
  storage.encryptBy(rules(cipher('mine'), cipher('theirs')));
  expect(storage.stats().loads).toBe(loads + 1);
});

test('a service without a configuration does not take cipher text for an object', async () => {
  const writer = await start(rules(cipher('theirs')));
  await writer.create(secrets, 'ns/a', value('a'));
  const storage = await start(undefined);
  await expect(read(storage, 'ns/a')).rejects.toMatchObject({ code: 'unreadable' });
  await storage.create(secrets, 'ns/b', value('b'));
  expect(await stored(secrets, 'ns/b')).toContain('hidden');
});

test('many values are read by a load, and by a replica that follows', async () => {
  const writer = await start(rules(cipher('key1', 'secretbox')));
  const storage = await start(rules(cipher('key1', 'secretbox')));
  const large = Buffer.from(JSON.stringify('x'.repeat(4_000)));
  const keys = Array.from({ length: 300 }, (_, i) => `ns/${String(i)}`);
  await Promise.all(keys.map((key) => writer.create(secrets, key, large)));
  expect((await storage.snapshot(secrets, mostRecent, forever)).size).toBe(300);
  expect(storage.view(secrets).get('ns/299')?.bytes.equals(large)).toBe(true);
  const loaded = await start(rules(cipher('key1', 'secretbox')));
  expect(loaded.view(secrets).size).toBe(300);
  expect(loaded.view(secrets).get('ns/299')?.bytes.equals(large)).toBe(true);
});
