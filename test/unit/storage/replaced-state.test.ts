/** A storage whose etcd takes over an earlier state shows what one shows that loads it, and tells watches what changes. */
import fc from 'fast-check';

import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { MemoryEtcd } from '../../../src/memory-etcd/memory-etcd.ts';
import { createEtcdStorage, type ClusterStorage } from '../../../src/storage/storage.ts';
import { StorageError, type StoredEvent } from '../../../src/storage/types.ts';
import { otherKeys } from '../../../src/testing/host/object-keys.ts';
import { calmTimes, json, noMetrics, pods, recordingLogger } from '../../support/storage.ts';
import { waitFor } from '../../support/wait-for.ts';

const { signal } = new AbortController();
const newest = { kind: 'mostRecent' } as const;
const services = 'core/services';
const collections = [pods, services] as const;
const others = otherKeys('/registry');

async function storageOver(etcd: MemoryEtcd): Promise<ClusterStorage> {
  const storage = await createEtcdStorage({
    ...{ endpoints: ['http://etcd:2379'], connectLine: etcd.connectLine },
    ...{ logger: recordingLogger(), metrics: noMetrics, databaseSizeIntervalMs: 0, times: calmTimes },
  });
  await storage.ready();
  return storage;
}

async function contents(storage: ClusterStorage): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const collection of collections) {
    const snapshot = await storage.snapshot(collection, newest, signal);
    for (const { key, modRevision, bytes } of snapshot.entries('', ''))
      found[`${collection} ${key}`] = `${String(modRevision)} ${bytes.toString()}`;
  }
  return found;
}

const write = fc.record({
  collection: fc.constantFrom(...collections),
  name: fc.nat(5),
  value: fc.option(fc.nat(9), { nil: undefined }),
});
const writes = fc.array(write, { maxLength: 12 });

async function perform(
  storage: ClusterStorage,
  program: readonly (typeof write extends fc.Arbitrary<infer T> ? T : never)[],
): Promise<void> {
  for (const { collection, name, value } of program) {
    const key = `ns/${String(name)}`;
    const before = await storage.get(collection, key, newest, signal);
    if (value === undefined) {
      if (before !== undefined) await storage.delete(collection, key, before.modRevision);
    } else if (before === undefined) await storage.create(collection, key, json(value));
    else await storage.update(collection, key, json(value), before.modRevision);
  }
}

/** What an informer has that is told all events. */
class Informer {
  readonly objects = new Map<string, string>();
  ended: StorageError | undefined;
  position = 0;

  constructor(storage: ClusterStorage, collection: string, relists: boolean) {
    storage.watch(
      { collection, prefix: '', relists, start: { kind: 'stateThenChanges', freshness: newest }, signal },
      {
        onEstablished: () => undefined,
        onInitial: (snapshot) => {
          for (const { key, modRevision, bytes } of snapshot.entries('', ''))
            this.objects.set(`${collection} ${key}`, `${String(modRevision)} ${bytes.toString()}`);
          this.position = snapshot.revision;
        },
        onEvents: (events) => events.forEach((event) => this.#take(event)),
        onProgress: (revision) => (this.position = Math.max(this.position, revision)),
        onEnd: (reason) => (this.ended = reason),
        ready: () => Promise.resolve(),
      },
    );
  }

  #take({ type, collection, key, entry, previous, revision }: StoredEvent): void {
    expect(revision).toBeGreaterThan(this.position);
    const name = `${collection} ${key}`;
    expect(previous && `${String(previous.modRevision)} ${previous.bytes.toString()}`).toBe(
      this.objects.get(name),
    );
    if (type === 'put') this.objects.set(name, `${String(entry.modRevision)} ${entry.bytes.toString()}`);
    else this.objects.delete(name);
  }
}

test('it has what another storage loads, goes on, and watches are told exactly what changes', async () => {
  await fc.assert(
    fc.asyncProperty(writes, writes, writes, async (before, between, after) => {
      const etcd = new MemoryEtcd({ clock: systemClock, random: systemRandom });
      const storage = await storageOver(etcd);
      await perform(storage, before);
      const [known, snapshot] = [storage.knownState(), etcd.snapshot()];
      if (known === undefined) throw new Error('the storage has no state');
      expect(known.revision).toBe(snapshot.revision);
      await perform(storage, between);
      const told = collections.map((collection) => new Informer(storage, collection, false));
      await waitFor('the watches', () => told.every(({ position }) => position > 0));
      etcd.takeOver(snapshot, others, known);
      const loading = await storageOver(etcd);
      const wanted = await contents(loading);
      expect(await contents(storage)).toEqual(wanted);
      const digests = [storage, loading].map((each) =>
        collections.map((id) => each.knownState()?.collections.get(id)?.digest.value ?? [0, 0]),
      );
      expect(digests[0]).toEqual(digests[1]);
      expect(storage.stats().loads).toBe(1);
      await perform(storage, [...after, { collection: pods, name: 0, value: 7 }]);
      const last = await contents(storage);
      expect(await contents(loading)).toEqual(last);
      await waitFor('all events', () => storage.undelivered() === 0);
      expect(told.map(({ ended }) => ended)).toEqual([undefined, undefined]);
      expect(Object.fromEntries(told.flatMap(({ objects }) => [...objects]))).toEqual(last);
      for (const each of [storage, loading]) await each.close();
    }),
    { numRuns: 60 },
  );
}, 60_000);

test('who lists again is ended where something changed, nobody else', async () => {
  const etcd = new MemoryEtcd({ clock: systemClock, random: systemRandom });
  const storage = await storageOver(etcd);
  await perform(storage, [{ collection: services, name: 1, value: 1 }]);
  const [known, snapshot] = [storage.knownState(), etcd.snapshot()];
  await perform(storage, [{ collection: pods, name: 1, value: 1 }]);
  const watches = [
    new Informer(storage, pods, true),
    new Informer(storage, services, true),
    new Informer(storage, pods, false),
  ];
  await waitFor('the watches', () => watches.every(({ position }) => position > 0));
  etcd.takeOver(snapshot, others, known as object);
  await waitFor('the end', () => watches[0]?.ended !== undefined);
  expect(watches[0]?.ended?.code).toBe('compacted');
  await waitFor('the deletion', () => watches[2]?.objects.size === 0);
  expect(watches.slice(1).map(({ ended }) => ended)).toEqual([undefined, undefined]);
  await expect(
    storage.snapshot(services, { kind: 'exact', revision: snapshot.revision }, signal),
  ).rejects.toMatchObject({ code: 'compacted' });
  await storage.close();
});
