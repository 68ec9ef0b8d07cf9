/** etcd at its quota: clients and the operator learn what is wrong, reads go on, and the documented way out leads out. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toStatusError } from '../../../src/registry/storage-errors.ts';
import type { StatusError } from '../../../src/meta/status.ts';
import { numberOf } from '../../../src/storage/etcd/etcd-messages.ts';
import { spareCount } from '../../../src/storage/fences.ts';
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import type { StorageError } from '../../../src/storage/types.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { repositoryRoot } from '../../support/paths.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  calmTimes,
  directClient,
  forever,
  json,
  mostRecent,
  pods,
  recordingLogger,
  startStorage,
  untilReached,
  watchAfter,
} from '../../support/storage.ts';

let cluster: EtcdCluster;
let storage: EtcdStorage;
let etcd: EtcdClient;
const lines: string[] = [];
const times = { ...calmTimes, spareFences: 50 };

beforeAll(async () => {
  cluster = await startEtcdCluster({ how: 'process', extraArgs: ['--quota-backend-bytes=16777216'] });
  storage = await startStorage(cluster.endpoints, { times, logger: recordingLogger(lines) });
  etcd = directClient(cluster.endpoints);
});
afterAll(async () => {
  etcd.close();
  await storage.close();
  await cluster.close();
});

/** Writes one object again and again, so that history fills the database. */
async function fill(by: EtcdStorage): Promise<StorageError> {
  let { revision } = await by.create(pods, 'large', json('x'.repeat(1_000_000)));
  for (let i = 0; i < 40; i++)
    try {
      ({ revision } = await by.update(pods, 'large', json(`${'x'.repeat(1_000_000)}${i}`), revision));
    } catch (error) {
      return error as StorageError;
    }
  throw new Error('the quota was never met');
}

/** The commands of the runbook, against this etcd. */
function followRunbook(): void {
  const text = readFileSync(join(repositoryRoot, 'deploy/README.md'), 'utf8');
  const block = /### etcd is full[\s\S]*?```sh\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  expect(block).toContain('alarm disarm');
  const commands = block
    .split('\n')
    .filter((line) => !line.startsWith('etcdctl() '))
    .join('\n');
  const own = `set -e\netcdctl() { ETCDCTL_API=3 command etcdctl --endpoints=${cluster.endpoints.join()} "$@"; }\n`;
  execFileSync('/bin/bash', ['-c', own + commands], { timeout: 60_000 });
}

test('a full etcd is named to clients and, once, in the log; reads go on; the runbook makes it take writes again', async () => {
  const small = await storage.create(pods, 'small', json(1));
  const error = await fill(storage);
  expect(error.code).toBe('noSpace');
  const status = toStatusError(error, {
    resource: { group: '', resource: 'pods' },
    name: 'large',
  }) as StatusError;
  expect(status.code).toBe(503);
  expect(status.message).toContain('the database of the store is full');
  await expect(storage.update(pods, 'small', json(2), small.revision)).rejects.toMatchObject({
    code: 'noSpace',
  });
  expect(lines.filter((line) => line.includes('NOSPACE'))).toHaveLength(1);
  expect((await storage.snapshot(pods, mostRecent, forever)).size).toBe(2);
  await expect(storage.delete(pods, 'small', small.revision - 1)).rejects.toMatchObject({ code: 'conflict' });
  await storage.delete(pods, 'small', small.revision);
  await expect(storage.delete(pods, 'small', small.revision)).rejects.toMatchObject({ code: 'notFound' });
  expect((await storage.snapshot(pods, mostRecent, forever)).size).toBe(1);

  followRunbook();
  await storage.create(pods, 'next', json(2));
}, 60_000);

async function countKeys(prefix: string): Promise<number> {
  const range = { key: Buffer.from(`${prefix}/`), range_end: Buffer.from(`${prefix}0`), count_only: true };
  return numberOf((await etcd.range(range)).count);
}

const hasSpares = async (): Promise<boolean> => (await countKeys('/registry/~fence-spare')) === spareCount;

test('filled by somebody else below another prefix: fresh reads and watches from the past go on all the same', async () => {
  const { revision } = await storage.create(pods, 'before', json(1));
  await storage.create(pods, 'after', json(1));
  await waitFor('spare keys', hasSpares);
  const tenant = await startStorage(cluster.endpoints, { prefix: '/tenant' });
  expect((await fill(tenant)).code).toBe('noSpace');
  expect(await storage.get(pods, 'after', mostRecent, forever)).toBeDefined();
  const restarted = await startStorage(cluster.endpoints, { times });
  const watch = watchAfter(restarted, revision);
  await waitFor('the watch', () => watch.events.length === 1 && watch.established > 0);
  expect(watch.events.map(({ key }) => key)).toEqual(['after']);
  expect(await restarted.get(pods, 'after', mostRecent, forever)).toBeDefined();
  const again = watchAfter(restarted, revision);
  await waitFor('another watch', () => again.events.length === 1 && again.established > 0);
  expect([watch.ended, again.ended]).toEqual([undefined, undefined]);
  // Removals of others make revisions, too.
  await etcd.remove(Buffer.from('/tenant/core/pods/large'));
  expect(await storage.get(pods, 'after', mostRecent, forever)).toBeDefined();
  expect(await hasSpares()).toBe(false);
  followRunbook();
  await waitFor('spare keys', hasSpares);
  const later = await storage.create(pods, 'later', json(1));
  await untilReached(watch, later.revision);
  expect(watch.events.map(({ key }) => key)).toEqual(['after', 'later']);
  await Promise.all([tenant.close(), restarted.close()]);
}, 60_000);

test('a fresh read that only a fence could prove is refused at once where none can be made', async () => {
  const poor = await startStorage(cluster.endpoints, { prefix: '/poor' });
  const other = await startStorage(cluster.endpoints, { prefix: '/other' });
  expect((await fill(other)).code).toBe('noSpace');
  // A revision without an event below the prefix.
  await etcd.remove(Buffer.from('/other/core/pods/large'));
  const { fences } = poor.stats();
  await expect(poor.get(pods, 'any', mostRecent, forever)).rejects.toMatchObject({ code: 'noSpace' });
  // Not one after the other until the time is over.
  expect(poor.stats().fences - fences).toBe(1);
  followRunbook();
  await waitFor('a fresh read', async () => (await poor.get(pods, 'any', mostRecent, forever)) === undefined);
  await Promise.all([poor.close(), other.close()]);
}, 60_000);
