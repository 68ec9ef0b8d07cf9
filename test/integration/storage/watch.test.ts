/** Watches: every start, exactness against a model, and what subscribers may do wrong. */
import { setImmediate as nextTurn } from 'node:timers/promises';

import { useEtcd } from '../../support/etcd/used-etcd.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import type { Revision, StoredEvent } from '../../../src/storage/types.ts';
import {
  forever,
  json,
  lineOf,
  mostRecent,
  pods,
  Recorder,
  startStorage,
  untilReached,
  watchAfter,
  watchFrom,
} from '../../support/storage.ts';

const used = useEtcd();
let storage: EtcdStorage;
let prefix = '';
let prefixNumber = 0;

beforeEach(async () => {
  prefixNumber += 1;
  prefix = `/w${String(prefixNumber)}`;
  storage = await startStorage(used.cluster.endpoints, { prefix });
});

afterEach(async () => {
  await storage.close();
});

/** Random writes to a few keys in two collections; gives the revision of each. */
async function randomWrites(count: number): Promise<Revision[]> {
  const revisions: Revision[] = [];
  const known = new Map<string, Revision>();
  for (let i = 0; i < count; i += 1) {
    const collection = Math.random() < 0.8 ? pods : 'core/configmaps';
    const key = `ns${String(i % 3)}/p${String(Math.floor(Math.random() * 8))}`;
    const name = `${collection} ${key}`;
    const expected = known.get(name);
    const isRemoval = expected !== undefined && Math.random() < 0.3;
    const { revision } = await (expected === undefined
      ? storage.create(collection, key, json({ i }))
      : isRemoval
        ? storage.delete(collection, key, expected)
        : storage.update(collection, key, json({ i }), expected));
    if (isRemoval) known.delete(name);
    else known.set(name, revision);
    revisions.push(revision);
  }
  return revisions;
}

const after = (events: readonly StoredEvent[], revision: Revision): string[] =>
  events.filter((event) => event.revision > revision).map(lineOf);

describe('a watch after a revision', () => {
  test('delivers creations, updates and deletions with the previous state', async () => {
    const recorder = watchAfter(storage, storage.revision());
    const a = await storage.create(pods, 'ns/a', json(1));
    const b = await storage.update(pods, 'ns/a', json(2), a.revision);
    const c = await storage.delete(pods, 'ns/a', b.revision);
    await untilReached(recorder, c.revision);
    const [r1, r2, r3] = [a, b, c].map(({ revision }) => String(revision));
    expect(recorder.lines()).toEqual([
      `${r1} put ns/a ${r1}:1 was -`,
      `${r2} put ns/a ${r2}:2 was ${r1}:1`,
      `${r3} delete ns/a ${r3}:2 was ${r2}:2`,
    ]);
    expect(recorder.established).toBe(1);
  });

  test('shares one event among all watches and opens no stream of its own', async () => {
    const recorders = Array.from({ length: 50 }, () => watchAfter(storage, storage.revision()));
    const { revision } = await storage.create(pods, 'ns/a', json(1));
    for (const recorder of recorders) await untilReached(recorder, revision);
    expect(new Set(recorders.map(({ events }) => events[0])).size).toBe(1);
    expect(storage.stats()).toMatchObject({ watches: 50, replays: 0, connects: 1 });
  });

  test('resumed at every point of random writes it misses and repeats nothing, from the ring and from etcd', async () => {
    const start = storage.revision();
    const live = watchAfter(storage, start);
    const revisions = await randomWrites(150);
    const end = revisions.at(-1) ?? 0;
    await untilReached(live, end);
    const other = await startStorage(used.cluster.endpoints, { prefix });
    const more = await randomWritesOn(storage, 5);
    await untilReached(live, more);
    // From the newest to the oldest, so that each needs more of etcd's history than the one before.
    for (const from of [end, ...revisions.filter((_, i) => i % 10 === 0).reverse(), start]) {
      const near = watchAfter(storage, from);
      const far = watchAfter(other, from);
      await Promise.all([untilReached(near, more), untilReached(far, more)]);
      expect(near.lines()).toEqual(after(live.events, from));
      expect(far.lines()).toEqual(after(live.events, from));
    }
    expect(storage.stats().replays).toBe(0);
    expect(other.stats().replays).toBeGreaterThan(10);
    await other.close();
  });

  test('many that come back after a restart share what the first ones read from etcd', async () => {
    const start = storage.revision();
    const live = watchAfter(storage, start);
    const end = (await randomWrites(50)).at(-1) ?? 0;
    await untilReached(live, end);
    const other = await startStorage(used.cluster.endpoints, { prefix, limits: { replays: 2 } });
    const recorders = Array.from({ length: 200 }, () => watchAfter(other, start));
    for (const recorder of recorders) await untilReached(recorder, end);
    for (const recorder of recorders) expect(recorder.lines()).toEqual(live.lines());
    expect(other.stats().replays).toBe(1);
    await other.close();
  });

  test('started while writes go on, with a ring too small to hold them, it is exact', async () => {
    const limits = { ringEvents: 10 };
    const small = await startStorage(used.cluster.endpoints, { prefix, limits });
    const start = small.revision();
    const live = watchAfter(storage, start);
    const writing = randomWrites(250);
    const recorders: [Revision, Recorder][] = [];
    const isDone = writing.then(() => true);
    let next = start + 40;
    while (!(await Promise.race([isDone, aMoment()]))) {
      if (small.revision() < next) continue;
      next = small.revision() + 4;
      const from = Math.max(start, small.revision() - Math.floor(Math.random() * 60));
      recorders.push([from, watchAfter(small, from)]);
    }
    const end = (await writing).at(-1) ?? 0;
    await untilReached(live, end);
    for (const [from, recorder] of recorders) {
      await untilReached(recorder, end);
      expect(recorder.lines()).toEqual(after(live.events, from));
    }
    expect(small.stats().replays).toBeGreaterThan(0);
    await small.close();
  });

  test('in the future it waits a bounded time for that revision', async () => {
    const now = storage.revision();
    const recorder = watchAfter(storage, now + 2);
    for (const key of ['a', 'b', 'c']) await storage.create(pods, key, json(key));
    await untilReached(recorder, now + 3);
    expect(recorder.events.map(({ key }) => key)).toEqual(['c']);
    const never = watchAfter(storage, now + 1_000);
    await waitFor('the refusal', () => never.ended?.code === 'futureRevision');
    expect(never.established).toBe(0);
  });

  test('a compacted start is rejected, and only ends', async () => {
    const revisions = await randomWrites(20);
    const compacted = revisions[10] ?? 0;
    await used.client.compact(compacted);
    const other = await startStorage(used.cluster.endpoints, { prefix });
    const refused = watchAfter(other, compacted - 1);
    await waitFor('the end of the watch', () => refused.ended);
    expect(refused).toMatchObject({
      established: 0,
      events: [],
      ended: { code: 'compacted', revision: compacted },
    });
    const zero = watchAfter(other, 0);
    await waitFor('the end of the watch', () => zero.ended?.code === 'compacted');
    const kept = watchAfter(other, compacted);
    await untilReached(kept, revisions.at(-1) ?? 0);
    expect(kept.ended).toBeUndefined();
    await other.close();
  });

  test('a replay waits for a subscriber that cannot take more', async () => {
    const end = (await randomWrites(60)).at(-1) ?? 0;
    const other = await startStorage(used.cluster.endpoints, { prefix });
    const recorder = new Recorder();
    const gate = Promise.withResolvers<undefined>();
    recorder.gate = gate.promise.then(() => undefined);
    const start = { kind: 'after', revision: end - 50 } as const;
    other.watch({ collection: pods, prefix: '', signal: forever, start }, recorder);
    await waitFor('the first events', () => recorder.events.length > 0);
    const latest = await storage.create(pods, 'later', json(1));
    expect(recorder.last).toBeLessThan(latest.revision);
    gate.resolve(undefined);
    await untilReached(recorder, latest.revision);
    expect(recorder.events.at(-1)?.key).toBe('later');
    await other.close();
  });
});

describe('a watch that begins with the state', () => {
  test('hands over the state and then every change', async () => {
    await randomWrites(30);
    const writing = randomWritesOn(storage, 50);
    const recorder = watchFrom(storage, { kind: 'stateThenChanges', freshness: mostRecent });
    const end = await writing;
    await untilReached(recorder, end);
    const state = new Map(
      Array.from(recorder.initial?.entries('', '') ?? [], (entry) => [entry.key, entry.modRevision]),
    );
    for (const event of recorder.events) {
      if (event.type === 'put') state.set(event.key, event.revision);
      else state.delete(event.key);
    }
    const now = await storage.snapshot(pods, mostRecent, forever);
    expect(Object.fromEntries(state)).toEqual(
      Object.fromEntries(Array.from(now.entries('', ''), (entry) => [entry.key, entry.modRevision])),
    );
    expect(recorder.established).toBe(1);
  });

  test('of a revision in the future is refused', async () => {
    const freshness = { kind: 'notOlderThan', revision: storage.revision() + 100 } as const;
    const recorder = watchFrom(storage, { kind: 'stateThenChanges', freshness });
    await waitFor('the end', () => recorder.ended?.code === 'futureRevision');
    expect([recorder.established, recorder.initial]).toEqual([0, undefined]);
  });
});

describe('subscribers', () => {
  test('get what they select: a namespace, one key', async () => {
    const start = storage.revision();
    const namespace = watchAfter(storage, start, { prefix: 'b/' });
    const one = watchAfter(storage, start, { prefix: 'b/1', exactKey: true });
    const bare = watchAfter(storage, start, { prefix: 'x', exactKey: true });
    let end = 0;
    for (const key of ['a/1', 'b/1', 'b/10', 'ba/1', 'x', 'xx'])
      end = (await storage.create(pods, key, json(1))).revision;
    for (const recorder of [namespace, one, bare]) await untilReached(recorder, end);
    const keys = [namespace, one, bare].map(({ events }) => events.map(({ key }) => key));
    expect(keys).toEqual([['b/1', 'b/10'], ['b/1'], ['x']]);
  });

  test('that throw are ended and do not affect others', async () => {
    const bad = new Recorder();
    bad.onEvents = () => {
      throw new Error('an error of the subscriber');
    };
    const start = { kind: 'after', revision: storage.revision() } as const;
    storage.watch({ collection: pods, prefix: '', signal: forever, start }, bad);
    const good = watchAfter(storage, storage.revision());
    const { revision } = await storage.create(pods, 'a', json(1));
    await untilReached(good, revision);
    expect(good.events).toHaveLength(1);
    expect(bad.ended?.code).toBe('watcherFailed');
    expect(storage.stats().watches).toBe(1);
  });

  test('hear nothing after they closed, or their signal ended', async () => {
    const ending = new AbortController();
    const recorder = new Recorder();
    const closed = new Recorder();
    const start = { kind: 'after', revision: storage.revision() } as const;
    storage.watch({ collection: pods, prefix: '', signal: ending.signal, start }, recorder);
    const handle = storage.watch({ collection: pods, prefix: '', signal: forever, start }, closed);
    ending.abort();
    handle.close();
    handle.close();
    const { revision } = await storage.create(pods, 'a', json(1));
    await untilReached(watchAfter(storage, storage.revision()), revision);
    expect([recorder.events, closed.events, recorder.ended]).toEqual([[], [], undefined]);
    expect(storage.stats().watches).toBe(1);
  });

  test('hear how far they are when only other collections change', async () => {
    const recorder = watchAfter(storage, storage.revision());
    const { revision } = await storage.create('core/configmaps', 'a', json(1));
    await waitFor('progress', () => recorder.progressed >= revision);
    expect(recorder.events).toEqual([]);
  });

  test('are ended when the storage is stopping', async () => {
    const recorder = watchAfter(storage, storage.revision());
    await storage.close();
    expect(recorder.ended?.code).toBe('stopped');
  });
});

async function randomWritesOn(target: EtcdStorage, count: number): Promise<Revision> {
  let revision = 0;
  for (let i = 0; i < count; i += 1)
    revision = (await target.create(pods, `more/${String(i)}`, json(i))).revision;
  return revision;
}

/** False after a moment in which writes went on. */
async function aMoment(): Promise<false> {
  await nextTurn();
  return false;
}
