/** KMS plugins of both versions: data keys, their cache, keys that change, and plugins that are away. */
import { join } from 'node:path';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { KmsPluginServer } from '../../support/kms-plugin.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { EncryptionRule } from '../../../src/storage/encryption/rules.ts';
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import { createEtcdStorage, type EtcdStorage } from '../../../src/storage/storage.ts';
import {
  directClient,
  forever,
  isFedStorage,
  json,
  mostRecent,
  noMetrics,
  pods,
  recordingLogger,
  startStorage,
} from '../../support/storage.ts';

const secrets = 'core/secrets';
const kmsTimes = { healthyMs: 50, unhealthyMs: 50 };
let cluster: EtcdCluster;
let etcd: EtcdClient;
let folder: TempFolder;
let plugin: KmsPluginServer;
let sockets = 0;
let running: EtcdStorage[];

beforeAll(async () => {
  cluster = await startEtcdCluster({ how: 'process' });
  etcd = directClient(cluster.endpoints);
  folder = await makeTempFolder('kms');
});
beforeEach(async () => {
  sockets += 1;
  running = [];
  plugin = new KmsPluginServer(join(folder.path, `${String(sockets)}.sock`));
  await plugin.start();
});
afterEach(async () => {
  for (const storage of running) await storage.close();
  plugin.stop();
});
afterAll(async () => {
  etcd.close();
  await cluster.close();
  await folder.remove();
});

function rules(apiVersion: 'v1' | 'v2', timeoutMs = 10_000): EncryptionRule[] {
  const { endpoint } = plugin;
  const kms = { kind: 'kms', apiVersion, name: 'vault', endpoint, timeoutMs, cacheSize: 100 } as const;
  return [{ resources: ['secrets'], providers: [kms, { kind: 'identity' }] }];
}

async function start(
  by: readonly EncryptionRule[],
  times: { healthyMs: number; unhealthyMs: number; seedMs?: number } = kmsTimes,
): Promise<EtcdStorage> {
  const prefix = `/t${String(sockets)}`;
  const encryption = { word: 'k8s', rules: by, kmsTimes: times };
  const storage = await startStorage(cluster.endpoints, { prefix, encryption });
  running.push(storage);
  return storage;
}

async function stored(key: string): Promise<string> {
  const { kvs } = await etcd.range({ key: Buffer.from(`/t${String(sockets)}/${secrets}/${key}`) });
  return kvs[0]?.value.toString('latin1') ?? '';
}

const read = async (storage: EtcdStorage, key: string): Promise<string | undefined> =>
  (await storage.get(secrets, key, mostRecent, forever))?.bytes.toString();
const countOf = (call: string): number => plugin.calls.filter((name) => name === call).length;

test.each(['v1', 'v2'] as const)(
  '%s: encrypted in etcd, read by another replica, a stop and a start',
  async (version) => {
    const storage = await start(rules(version));
    const { revision } = await storage.create(secrets, 'ns/a', json('hidden'));
    await storage.create(pods, 'ns/a', json('shown'));
    expect(await stored('ns/a')).toMatch(new RegExp(`^k8s:enc:kms:${version}:vault:`));
    expect(await stored('ns/a')).not.toContain('hidden');
    expect(await read(storage, 'ns/a')).toBe('"hidden"');
    const other = await start(rules(version));
    expect(await read(other, 'ns/a')).toBe('"hidden"');
    expect(other.encryptionProblem()).toBe('');
    await other.update(secrets, 'ns/a', json('more'), revision);
    expect(await read(storage, 'ns/a')).toBe('"more"');
  },
);

test('v2: one seed for all values of a replica, and one question for all values of a seed', async () => {
  const long = { healthyMs: 600_000, unhealthyMs: 50 };
  const storage = await start(rules('v2'), long);
  // One that is fed has a seed, and so has the one that follows etcd for it and reads what it wrote.
  const sides = isFedStorage() ? 2 : 1;
  await waitFor('the seed', () => countOf('v2 Decrypt') === sides);
  const seeds = countOf('v2 Encrypt');
  for (let i = 0; i < 20; i += 1) await storage.create(secrets, `ns/${String(i)}`, json(i));
  expect(countOf('v2 Encrypt')).toBe(seeds);
  await waitFor('its question', () => countOf('v2 Decrypt') === 2 * sides - 1);
  const other = await start(rules('v2'), long);
  await waitFor('its own seed', () => countOf('v2 Encrypt') > seeds);
  await waitFor('both questions', () => countOf('v2 Decrypt') === 3 * sides);
  expect((await other.snapshot(secrets, mostRecent, forever)).size).toBe(20);
  expect(countOf('v2 Decrypt')).toBe(3 * sides);
});

test('v2: when the plugin has another key, what is stored becomes stale, and a write uses the new key', async () => {
  const storage = await start(rules('v2'));
  const { revision } = await storage.create(secrets, 'ns/a', json(1));
  const entry = await storage.get(secrets, 'ns/a', mostRecent, forever);
  expect(entry?.isRecoded).toBe(false);
  plugin.rotate();
  await waitFor('the new key', () => entry?.isRecoded);
  await storage.update(secrets, 'ns/a', json(1), revision);
  expect((await storage.get(secrets, 'ns/a', mostRecent, forever))?.isRecoded).toBe(false);
  expect(await stored('ns/a')).toContain('key-2');
  expect(await read(await start(rules('v2')), 'ns/a')).toBe('1');
});

test.each(['v1', 'v2'] as const)(
  '%s: while the plugin is away, other resources work; then its values are read',
  async (version) => {
    const writer = await start(rules(version));
    await writer.create(secrets, 'ns/a', json('hidden'));
    await writer.close();
    plugin.stop();
    const storage = await start(rules(version));
    await waitFor('the problem', () => storage.encryptionProblem() !== '');
    expect(storage.encryptionProblem()).toContain('vault');
    await storage.create(pods, 'ns/a', json(1));
    await expect(read(storage, 'ns/a')).rejects.toMatchObject({ code: 'unreadable' });
    await expect(storage.create(secrets, 'ns/b', json(1))).rejects.toMatchObject({ code: 'unsealable' });
    await plugin.start();
    await waitFor('the values', async () => (await read(storage, 'ns/a').catch(() => '')) === '"hidden"');
    expect(storage.encryptionProblem()).toBe('');
    await storage.create(secrets, 'ns/b', json(1));
  },
);

test('a plugin that does not answer is waited for once, and not for each value', async () => {
  // Its own probes would be counted, too, however late they come.
  const writer = await start(rules('v1'), { healthyMs: 600_000, unhealthyMs: 600_000 });
  await waitFor('its probe', () => countOf('v1 Decrypt') > 0);
  for (let i = 0; i < 20; i += 1) await writer.create(secrets, `ns/${String(i)}`, json(i));
  expect((await writer.snapshot(secrets, mostRecent, forever)).size).toBe(20);
  plugin.mood = 'silent';
  const storage = await start(rules('v1', 300), { healthyMs: 50, unhealthyMs: 600_000 });
  await waitFor('the problem', () => storage.encryptionProblem() !== '');
  const before = plugin.calls.length;
  expect(storage.stats().unreadable).toBe(20);
  await writer.delete(
    secrets,
    'ns/0',
    (await writer.get(secrets, 'ns/0', mostRecent, forever))?.modRevision ?? 0,
  );
  await expect(read(storage, 'ns/1')).rejects.toMatchObject({ code: 'unreadable' });
  await expect(storage.create(secrets, 'ns/b', json(1))).rejects.toMatchObject({ code: 'unsealable' });
  expect(plugin.calls.length).toBe(before);
  expect(storage.encryptionProblem()).toContain('vault');
});

test('a key that the plugin refuses fails its values, not the plugin', async () => {
  const writer = await start(rules('v1'), { healthyMs: 600_000, unhealthyMs: 50 });
  await writer.create(secrets, 'ns/a', json(1));
  await waitFor('its probe', () => countOf('v1 Decrypt') > 0);
  const storage = await start([{ resources: ['secrets'], providers: [{ kind: 'identity' }] }]);
  plugin.mood = 'refusing';
  storage.encryptBy(rules('v1'));
  await waitFor('the refusal', async () => {
    const error = await read(storage, 'ns/a').catch((reason: unknown) => String(reason));
    return String(error).includes('refuses');
  });
});

test('v2: a key that the plugin does not confirm encrypts for a while, and then nothing until the plugin is back', async () => {
  const patient = await start(rules('v2'));
  const strict = await start(rules('v2'), { ...kmsTimes, seedMs: 100 });
  await patient.create(secrets, 'ns/patient', json(1));
  expect(await read(strict, 'ns/patient')).toBe('1');
  plugin.stop();
  await waitFor('the problem', () => patient.encryptionProblem() !== '' && strict.encryptionProblem() !== '');
  await patient.create(secrets, 'ns/a', json(1));
  const failure = await waitFor('a refusal', () =>
    strict.create(secrets, `ns/${String(performance.now())}`, json(1)).then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
  expect(failure).toMatchObject({ code: 'unsealable' });
  expect(await read(strict, 'ns/patient')).toBe('1');
  await plugin.start();
  await waitFor('writes', () => strict.create(secrets, 'ns/b', json(1)).catch(() => undefined));
});

test.each(['v1', 'v2'] as const)('%s: a wrong key of the plugin is not kept', async (version) => {
  const writer = await start(rules(version));
  await writer.create(secrets, 'ns/a', json('hidden'));
  const storage = await start([{ resources: ['secrets'], providers: [{ kind: 'identity' }] }]);
  plugin.mood = 'garbling';
  storage.encryptBy(rules(version));
  const problem = await waitFor('the wrong key', async () => {
    const error = await read(storage, 'ns/a').catch(String);
    return error?.includes('no provider') === false ? error : undefined;
  });
  expect(problem).toContain('cannot be read');
  plugin.mood = 'well';
  // Another configuration lets unreadable values be read again; the plugin stays as it is.
  storage.encryptBy([...rules(version), { resources: ['none'], providers: [{ kind: 'identity' }] }]);
  await waitFor('the value', async () => (await read(storage, 'ns/a').catch(() => '')) === '"hidden"');
});

test.each(['endless', 'refusing', 'garbling'] as const)(
  'a plugin that is %s fails its values in few words, and nothing else',
  async (mood) => {
    const writer = await start(rules('v2'));
    await writer.create(secrets, 'ns/a', json('hidden'));
    await writer.close();
    plugin.mood = mood;
    const storage = await start(rules('v2'));
    await storage.create(pods, 'ns/a', json(1));
    const error = await read(storage, 'ns/a').then(
      () => '',
      (reason: unknown) => String(reason),
    );
    expect(error).toContain('cannot be read');
    expect(error.length).toBeLessThan(1_000);
    plugin.mood = 'well';
  },
);

test.each(['v1', 'v2'] as const)(
  '%s: nothing is written by a plugin that decrypts something else than it encrypted',
  async (version) => {
    plugin.mood = 'garbling';
    const storage = await start(rules(version));
    await waitFor('the problem', () => storage.encryptionProblem() !== '');
    expect(storage.encryptionProblem()).toContain('decrypts something else than it encrypted');
    await expect(storage.create(secrets, 'ns/a', json(1))).rejects.toMatchObject({ code: 'unsealable' });
    plugin.mood = 'well';
    await waitFor('the plugin to be asked again', () => storage.encryptionProblem() === '');
    await storage.create(secrets, 'ns/a', json(1));
    expect(await read(await start(rules(version)), 'ns/a')).toBe('1');
  },
);

test('a plugin with another key for each call: values are read', async () => {
  plugin.mood = 'restless';
  const storage = await start(rules('v2'), { healthyMs: 5, unhealthyMs: 5 });
  for (let i = 0; i < 20; i += 1) await storage.create(secrets, `ns/${String(i)}`, json(i));
  const other = await start(rules('v2'), { healthyMs: 5, unhealthyMs: 5 });
  expect((await other.snapshot(secrets, mostRecent, forever)).size).toBe(20);
  expect(other.stats().unreadable).toBe(0);
  plugin.mood = 'well';
});

test('keys that come while the state is loaded read what was loaded before', async () => {
  const secret = Buffer.alloc(32, 'key').toString('base64');
  const aesgcm = { kind: 'aesgcm', keys: [{ name: 'key1', secret }] } as const;
  const [kms] = rules('v1', 1_000);
  if (kms === undefined) throw new Error('no rules');
  const writer = await start([{ ...kms, providers: [aesgcm] }], { healthyMs: 600_000, unhealthyMs: 50 });
  await writer.create(secrets, 'ns/a', json('hidden'));
  writer.encryptBy([kms]);
  await waitFor('its probe', () => countOf('v1 Decrypt') > 0);
  await writer.create(secrets, 'ns/b', json('hidden'));
  plugin.mood = 'silent';
  const before = countOf('v1 Decrypt');
  const storage = await createEtcdStorage({
    endpoints: cluster.endpoints,
    logger: recordingLogger(),
    metrics: noMetrics,
    prefix: `/t${String(sockets)}`,
    encryption: { word: 'k8s', rules: [kms] },
  });
  running.push(storage);
  // No key was there for the first value when the plugin is asked for that of the second.
  await waitFor('the load', () => countOf('v1 Decrypt') > before);
  storage.encryptBy([{ ...kms, providers: [...kms.providers, aesgcm] }]);
  await storage.ready();
  await waitFor('the first', async () => (await read(storage, 'ns/a').catch(() => '')) === '"hidden"');
});
