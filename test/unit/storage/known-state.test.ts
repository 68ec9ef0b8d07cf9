/** The storage of a copy of etcd begins with what the storage of the original had, and sees all that loading it shows. */
import fc from 'fast-check';

import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { MemoryEtcd } from '../../../src/memory-etcd/memory-etcd.ts';
import { compactMethod, rangeMethod } from '../../../src/storage/etcd/etcd-messages.ts';
import type { ConnectLine } from '../../../src/storage/etcd/etcd-line.ts';
import type { RangeResponse } from '../../../src/storage/etcd/message-types.ts';
import { createEtcdStorage, type ClusterStorage } from '../../../src/storage/storage.ts';
import type { KnownState } from '../../../src/storage/view/known-state.ts';
import { json, noMetrics, pods, recordingLogger } from '../../support/storage.ts';

const { signal } = new AbortController();
const newest = { kind: 'mostRecent' } as const;

/** Counts the objects that calls of a storage read. */
class Reading {
  objects = 0;

  readonly over =
    (etcd: MemoryEtcd): ConnectLine =>
    async (url, timeoutMs) => {
      const line = await etcd.connectLine(url, timeoutMs);
      return {
        get isUp() {
          return line.isUp;
        },
        useToken: (token) => line.useToken(token),
        call: async (method, request, callMs, maxBytes) => {
          const answer = await line.call(method, request, callMs, maxBytes);
          this.#note(method, answer as Partial<RangeResponse>);
          return answer;
        },
        stream: (method, request, listener) => line.stream(method, request, listener),
        close: (graceMs) => line.close(graceMs),
      };
    };

  #note(method: unknown, { kvs = [] }: Partial<RangeResponse>): void {
    if (method === rangeMethod) this.objects += kvs.filter(({ key }) => key.includes(`/${pods}/`)).length;
  }
}

async function storageOver(
  etcd: MemoryEtcd,
  knownState?: KnownState,
): Promise<{ storage: ClusterStorage; reading: Reading }> {
  const reading = new Reading();
  const options = {
    ...{ endpoints: ['http://etcd:2379'], connectLine: reading.over(etcd) },
    ...{ logger: recordingLogger(), metrics: noMetrics, databaseSizeIntervalMs: 0 },
  };
  const storage = await createEtcdStorage(options, knownState);
  await storage.ready();
  return { storage, reading };
}

async function contents(storage: ClusterStorage): Promise<readonly string[]> {
  const snapshot = await storage.snapshot(pods, newest, signal);
  return [...snapshot.entries('', '')].map(
    ({ key, modRevision, bytes }) => `${key} ${String(modRevision)} ${bytes.toString()}`,
  );
}

const write = fc.record({ name: fc.nat(5), value: fc.option(fc.nat(9), { nil: undefined }) });
const writes = fc.array(write, { maxLength: 12 });
type Writes = readonly { readonly name: number; readonly value: number | undefined }[];

/** Creates, replaces and deletes. */
async function perform(storage: ClusterStorage, program: Writes): Promise<void> {
  for (const { name, value } of program) {
    const key = `ns/${String(name)}`;
    const before = await storage.get(pods, key, newest, signal);
    if (value === undefined) {
      if (before !== undefined) await storage.delete(pods, key, before.modRevision);
    } else if (before === undefined) await storage.create(pods, key, json(value));
    else await storage.update(pods, key, json(value), before.modRevision);
  }
}

async function compact(etcd: MemoryEtcd): Promise<void> {
  const line = await etcd.connectLine('http://etcd:2379', 1_000);
  await line.call(compactMethod, { revision: etcd.revision }, 1_000);
}

function newEtcd(): MemoryEtcd {
  return new MemoryEtcd({ clock: systemClock, random: systemRandom });
}

test('it has what a storage has that loads, both go on as before, and no object was read', async () => {
  await fc.assert(
    fc.asyncProperty(writes, writes, writes, async (before, between, after) => {
      const etcd = newEtcd();
      const { storage: original } = await storageOver(etcd);
      await perform(original, before);
      const known = original.knownState();
      // What has changed since comes as events.
      await perform(original, between);
      const copy = etcd.fork();
      const atFork = await contents(original);
      await perform(original, after);
      const afterwards = await contents(original);
      const { storage, reading } = await storageOver(copy, known);
      const { storage: loading } = await storageOver(copy);
      expect(await contents(storage)).toEqual(atFork);
      expect(reading.objects).toBe(0);
      expect(await contents(loading)).toEqual(atFork);
      expect(storage.knownState()?.collections.get(pods)?.digest.value ?? [0, 0]).toEqual(
        loading.knownState()?.collections.get(pods)?.digest.value ?? [0, 0],
      );
      await perform(storage, [...after, { name: 0, value: 7 }]);
      expect(await contents(storage)).toEqual(await contents(loading));
      expect(await contents(original)).toEqual(afterwards);
      for (const each of [original, storage, loading]) await each.close();
    }),
    { numRuns: 40 },
  );
}, 60_000);

test('where the history since is compacted, everything is loaded', async () => {
  const etcd = newEtcd();
  const { storage: original } = await storageOver(etcd);
  await perform(original, [{ name: 1, value: 1 }]);
  const known = original.knownState();
  await perform(original, [
    { name: 2, value: 2 },
    { name: 1, value: undefined },
  ]);
  const copy = etcd.fork();
  await compact(copy);
  const { storage } = await storageOver(copy, known);
  expect(await contents(storage)).toEqual(await contents(original));
  for (const each of [original, storage]) await each.close();
});

test('what another past had is not taken over', async () => {
  const [etcd, other] = [newEtcd(), newEtcd()];
  const [{ storage: original }, { storage: stranger }] = [await storageOver(etcd), await storageOver(other)];
  await perform(original, [{ name: 1, value: 1 }]);
  await perform(stranger, [{ name: 2, value: 2 }]);
  const { storage, reading } = await storageOver(other.fork(), original.knownState());
  expect(await contents(storage)).toEqual(await contents(stranger));
  expect(reading.objects).toBeGreaterThan(0);
  for (const each of [original, stranger, storage]) await each.close();
});
