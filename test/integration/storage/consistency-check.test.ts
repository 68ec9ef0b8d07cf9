/**
 * The view is compared with etcd: events that a defect of etcd drops, doubles, delays or reorders are found, reported and
 * repaired, and nothing else ever is.
 */
import { numberOf } from '../../../src/storage/etcd/etcd-messages.ts';
import type { EtcdEvent } from '../../../src/storage/etcd/message-types.ts';
import type { StorageMetrics } from '../../../src/storage/options.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import type { CollectionId } from '../../../src/storage/types.ts';
import { useEtcd } from '../../support/etcd/used-etcd.ts';
import { EventProxy } from '../../support/etcd/event-proxy.ts';
import {
  forever,
  json,
  lineOf,
  mostRecent,
  noMetrics,
  pods,
  recordingLogger,
  startStorage,
  untilReached,
  watchAfter,
} from '../../support/storage.ts';
import { waitFor } from '../../support/wait-for.ts';

const maps = 'core/configmaps';
/** So short that a check follows a fault at once. */
const intervalMs = 200;

const used = useEtcd();
let prefix = '';
let number = 0;
let proxy: EventProxy;
/** Behind the proxy. */
let storage: EtcdStorage;
/** Straight to etcd. */
let other: EtcdStorage;
let log: string[];
let observed: { readonly statuses: string[]; readonly inconsistent: CollectionId[] };

beforeEach(async () => {
  number += 1;
  prefix = `/check-${String(number)}`;
  proxy = await EventProxy.start(used.cluster.endpoints[0] ?? '');
  other = await startStorage(used.cluster.endpoints, { prefix, consistencyCheckIntervalMs: 0 });
  for (const name of ['a', 'b', 'c']) await other.create(pods, name, json(0));
  await other.create(maps, 'x', json(0));
  log = [];
  observed = { statuses: [], inconsistent: [] };
});

afterEach(async () => {
  await Promise.all([storage.close(), other.close()]);
  await proxy.close();
});

async function start(consistencyCheckIntervalMs = intervalMs): Promise<void> {
  const metrics: StorageMetrics = {
    ...noMetrics,
    observeConsistencyCheck: (status) => observed.statuses.push(status),
    observeInconsistency: (collection) => observed.inconsistent.push(collection),
  };
  const logger = recordingLogger(log);
  storage = await startStorage([proxy.endpoint], {
    ...{ prefix, logger, metrics, consistencyCheckIntervalMs },
    // Without rules: encrypted values cannot be read.
    encryption: { word: 'k8s', rules: undefined },
  });
}

/** The revision of an object in etcd; 0 if it is not there. */
async function revisionOf(name: string): Promise<number> {
  return (await other.get(pods, name, mostRecent, forever))?.modRevision ?? 0;
}

const nameOf = ({ kv }: EtcdEvent): string => kv.key.toString().slice(`${prefix}/${pods}/`.length);
const revisionIn = ({ kv }: EtcdEvent): number => numberOf(kv.mod_revision);
const update = async (name: string): Promise<unknown> =>
  other.update(pods, name, json(Date.now()), await revisionOf(name));

/**
 * Drops the revisions of an object from now on, whole ones: a check may come before the next event, and the events that the
 * view has of its revision are compared when the stream is resumed. Gives how many it has dropped.
 */
function dropping(name: string): () => number {
  let dropped = 0;
  proxy.meddle = (events) => {
    const lost = new Set(events.filter((event) => nameOf(event) === name).map(revisionIn));
    dropped += lost.size;
    return events.filter((event) => !lost.has(revisionIn(event)));
  };
  return () => dropped;
}

/** An event is lost, and a later one is not. */
async function lose(name: string, write: () => Promise<unknown>): Promise<void> {
  const dropped = dropping(name);
  await write();
  await waitFor('the event', () => dropped() > 0);
  proxy.meddle = undefined;
  await update('c');
}

/** What a storage lists, with revisions. */
async function listed(from: EtcdStorage): Promise<string[]> {
  const { entries } = await from.snapshot(pods, mostRecent, forever).then((snapshot) => ({
    entries: [...snapshot.entries('', '')],
  }));
  return entries.map(({ key, modRevision, bytes }) => `${key} ${String(modRevision)} ${bytes.toString()}`);
}

const isRepaired = (): boolean => log.some((line) => line.startsWith('the collection was loaded again'));
const details = (): string => log.join('\n');
const report = (): string => log.find((line) => line.startsWith('the watch cache differs')) ?? '';

describe('a lost event is found, and the collection is loaded again', () => {
  const cases: { what: string; name: string; write: () => Promise<unknown>; reported: string }[] = [
    {
      what: 'creation',
      name: 'lost',
      write: () => other.create(pods, 'lost', json(1)),
      reported: '"missing":{"count":1,"first":["lost"]},"surplus":{"count":0',
    },
    {
      what: 'update',
      name: 'b',
      write: () => update('b'),
      reported: '"otherRevision":{"count":1,"first":["b"]}',
    },
    {
      what: 'deletion',
      name: 'b',
      write: async () => other.delete(pods, 'b', await revisionOf('b')),
      reported: '"surplus":{"count":1,"first":["b"]}',
    },
  ];

  test.each(cases)('$what', async ({ name, write, reported }) => {
    await start();
    const before = storage.revision();
    const [ofPods, ofMaps] = [watchAfter(storage, before), watchAfter(storage, before, { collection: maps })];
    await lose(name, write);
    await waitFor('the repair', isRepaired, { details });
    expect(await listed(storage)).toEqual(await listed(other));
    expect(report()).toContain(`"collection":"${pods}"`);
    expect(report()).toContain(reported);
    expect(observed.inconsistent).toEqual([pods]);
    // Only this collection was loaded again; its watches began before and must list again.
    expect(storage.stats()).toMatchObject({ inconsistencies: 1, loads: 1 });
    expect(ofPods.ended).toMatchObject({ code: 'compacted' });
    const later = await other.create(maps, 'y', json(1));
    await untilReached(ofMaps, later.revision);
    expect(ofMaps.events.map(({ key }) => key)).toEqual(['y']);
    await waitFor('a check that finds it equal', () => observed.statuses.at(-1) === 'success', { details });
  });
});

test('after the repair clients cannot go on from a state that was wrong', async () => {
  await start();
  await lose('lost', () => other.create(pods, 'lost', json(1)));
  const wrong = await storage.snapshot(pods, mostRecent, forever);
  await waitFor('the repair', isRepaired, { details });
  const stale = watchAfter(storage, wrong.revision);
  await waitFor('the end of the watch', () => stale.ended, { details });
  expect(stale.ended).toMatchObject({ code: 'compacted' });
  const chunk = storage.snapshot(pods, { kind: 'exact', revision: wrong.revision }, forever);
  await expect(chunk).rejects.toMatchObject({ code: 'compacted' });
  // From a list that is right, all goes on.
  const right = await storage.snapshot(pods, mostRecent, forever);
  expect(right.get('lost')).toBeDefined();
  const fresh = watchAfter(storage, right.revision);
  const { revision } = await other.create(pods, 'next', json(1));
  await untilReached(fresh, revision);
  expect(fresh.events.map(({ key }) => key)).toEqual(['next']);
  expect((await storage.snapshot(pods, { kind: 'exact', revision: right.revision }, forever)).size).toBe(4);
});

test('a collection that cannot be loaded alone: everything is loaded again, and all watches end', async () => {
  await start();
  const before = storage.revision();
  const [ofPods, ofMaps] = [watchAfter(storage, before), watchAfter(storage, before, { collection: maps })];
  const isGivenUp = (): boolean => details().includes('could not be loaded alone');
  // The repair ends with a write.
  proxy.refuse = (path) => path.endsWith('/Put') && !isGivenUp();
  await lose('lost', () => other.create(pods, 'lost', json(1)));
  await waitFor('another load', () => storage.stats().loads === 2, { details });
  expect(isGivenUp()).toBe(true);
  expect(await listed(storage)).toEqual(await listed(other));
  expect(storage.stats()).toMatchObject({ inconsistencies: 1 });
  for (const watch of [ofPods, ofMaps]) {
    await waitFor('the end of the watch', () => watch.ended, { details });
    expect(watch.ended).toMatchObject({ code: 'compacted' });
  }
  const stale = storage.snapshot(pods, { kind: 'exact', revision: before }, forever);
  await expect(stale).rejects.toMatchObject({ code: 'compacted' });
  await waitFor('a check that finds it equal', () => observed.statuses.at(-1) === 'success', { details });
});

test('writes go on while the collection is loaded', async () => {
  await start();
  let isOver = false;
  const writing = (async () => {
    for (let i = 0; !isOver; i += 1) {
      await other.create(pods, `w-${String(i)}`, json(i));
      await update(`w-${String(i)}`);
      if (i > 2) await other.delete(pods, `w-${String(i - 2)}`, await revisionOf(`w-${String(i - 2)}`));
    }
  })();
  await lose('lost', () => other.create(pods, 'lost', json(1)));
  await waitFor('the repair', isRepaired, { details });
  const checks = storage.stats().checks;
  await waitFor('two more checks', () => storage.stats().checks > checks + 2, { details });
  isOver = true;
  await writing;
  expect(await listed(storage)).toEqual(await listed(other));
  expect(observed.inconsistent).toEqual([pods]);
});

describe('events that do not come once and in order', () => {
  test('doubled events change nothing, in the same response or in a later one', async () => {
    await start();
    const from = storage.revision();
    const [watch, reference] = [watchAfter(storage, from), watchAfter(other, from)];
    let last: readonly EtcdEvent[] = [];
    proxy.meddle = (events) => {
      const doubled = [...last, ...events, ...events];
      last = events;
      return doubled;
    };
    await update('b');
    await other.delete(pods, 'b', await revisionOf('b'));
    await other.create(pods, 'b', json(5));
    const { revision } = await other.create(pods, 'd', json(1));
    await Promise.all([untilReached(watch, revision), untilReached(reference, revision)]);
    expect(watch.events.map(lineOf)).toEqual(reference.events.map(lineOf));
    const { checks } = storage.stats();
    await waitFor('more checks', () => storage.stats().checks > checks + 2, { details });
    expect(await listed(storage)).toEqual(await listed(other));
    expect(storage.stats()).toMatchObject({ inconsistencies: 0, loads: 1 });
  });

  /** With the interval of the service: what comes late is reason enough to look at once. */
  const whole = 5 * 60_000;

  test('a delayed event is missed, and found at once', async () => {
    await start(whole);
    const watch = watchAfter(storage, storage.revision());
    const held: EtcdEvent[] = [];
    proxy.meddle = (events) => {
      const late = held.splice(0);
      held.push(...events.filter((event) => nameOf(event) === 'b'));
      return [...events.filter((event) => nameOf(event) !== 'b'), ...late];
    };
    await update('b');
    // Events may share a response; the late one comes with a later response.
    const isRepairedLater = async (): Promise<boolean> => {
      await update('a');
      return isRepaired();
    };
    await waitFor('the repair', isRepairedLater, { details });
    expect(await listed(storage)).toEqual(await listed(other));
    expect(report()).toContain('"otherRevision":{"count":1,"first":["b"]}');
    expect(watch.ended).toMatchObject({ code: 'compacted' });
  });

  test('events of a response in another order are found at once, and revisions do not go back', async () => {
    await start(whole);
    const seen: number[] = [];
    const held: EtcdEvent[] = [];
    proxy.meddle = (events) => {
      held.push(...events.filter((event) => ['b', 'c'].includes(nameOf(event))));
      if (held.length < 2) return [];
      seen.push(storage.revision());
      proxy.meddle = undefined;
      return held.splice(0).sort((x, y) => numberOf(y.kv.mod_revision) - numberOf(x.kv.mod_revision));
    };
    await update('b');
    await update('c');
    await waitFor('the repair', isRepaired, { details });
    seen.push(storage.revision());
    expect(await listed(storage)).toEqual(await listed(other));
    expect(observed.inconsistent).toEqual([pods]);
    expect(seen).toEqual([...seen].sort((x, y) => x - y));
  });
});

test('a revision that is compacted while it is read: the check starts over at a newer one', async () => {
  await start();
  let compactions = 0;
  proxy.beforeCall = async (path) => {
    if (!path.endsWith('/Range') || compactions === 2) return;
    compactions += 1;
    await update('c');
    await used.client.compact(await revisionOf('c'));
  };
  observed.statuses.length = 0;
  await waitFor('the compactions', () => compactions === 2, { details });
  const { checks } = storage.stats();
  await waitFor('another check', () => storage.stats().checks > checks, { details });
  expect(new Set(observed.statuses)).toEqual(new Set(['success']));
});

test('nothing is reported where nothing is wrong', async () => {
  await start(20);
  const encrypted = 'k8s:enc:aescbc:v1:unknown:text';
  const others = Buffer.from('/elsewhere/key');
  let old = 0;
  for (let i = 0; i < 150; i += 1) {
    const name = `o-${String(i)}`;
    const { revision } = await other.create(i % 2 === 0 ? pods : 'example.com/widgets', name, json(i));
    // Not an object, and of another prefix.
    const unreadable = { key: Buffer.from(`${prefix}/core/secrets/${name}`), value: Buffer.from(encrypted) };
    await used.client.put(unreadable);
    await used.client.put({ key: others, value: Buffer.from(name) });
    if (i % 3 === 0) await other.delete(i % 2 === 0 ? pods : 'example.com/widgets', name, revision);
    if (i % 25 === 24) await used.client.compact(old);
    if (i % 25 === 0) old = revision;
    await update('c');
  }
  const { checks } = storage.stats();
  await waitFor('checks', () => storage.stats().checks > checks + 5, { details });
  expect(await listed(storage)).toEqual(await listed(other));
  expect(new Set(observed.statuses)).toEqual(new Set(['success']));
  expect(storage.stats()).toMatchObject({ inconsistencies: 0, loads: 1, unreadable: 150 });
});
