/** Watches that begin before the ring share replays of etcd's history: of a namespace each, too, and at different revisions. */
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import type { Revision } from '../../../src/storage/types.ts';
import { useEtcd } from '../../support/etcd/used-etcd.ts';
import {
  json,
  lineOf,
  pods,
  Recorder,
  startStorage,
  untilReached,
  watchAfter,
} from '../../support/storage.ts';
import { waitFor } from '../../support/wait-for.ts';

const namespaces = Array.from({ length: 30 }, (_, i) => `ns${String(i)}/`);
/** Nothing is kept of what a replay reads: each is longer than the ring. */
const limits = { ringEvents: 10 };

const used = useEtcd();
let storage: EtcdStorage;
/** One that has started behind all writes. */
let other: EtcdStorage;
let prefixNumber = 0;
let revisions: Revision[] = [];
/** All that was written. */
let truth: Recorder;

beforeEach(async () => {
  prefixNumber += 1;
  const prefix = `/s${String(prefixNumber)}`;
  storage = await startStorage(used.cluster.endpoints, { prefix });
  truth = watchAfter(storage, storage.revision());
  revisions = [storage.revision()];
  for (let i = 0; i < 300; i += 1) {
    const key = `${String(namespaces[i % namespaces.length])}p${String(i)}`;
    revisions.push((await storage.create(pods, key, json({ i }))).revision);
  }
  await untilReached(truth, last());
  other = await startStorage(used.cluster.endpoints, { prefix, limits });
});

afterEach(async () => {
  await Promise.all([storage.close(), other.close()]);
});

const last = (): Revision => revisions.at(-1) ?? 0;

/** What a watch of a namespace has to tell. */
function told(namespace: string, from: Revision): string[] {
  return truth.events.filter(({ key, revision }) => revision > from && key.startsWith(namespace)).map(lineOf);
}

function watchEach(): { readonly namespace: string; readonly from: Revision; readonly recorder: Recorder }[] {
  return namespaces.map((namespace, i) => {
    const from = revisions[i * 5] ?? 0;
    return { namespace, from, recorder: watchAfter(other, from, { prefix: namespace }) };
  });
}

test('thirty of a namespace each, from different revisions, read the history once, or twice, and miss and repeat nothing', async () => {
  const watches = watchEach();
  for (const { namespace, from, recorder } of watches) {
    await waitFor('all events', () => recorder.lines().length >= told(namespace, from).length);
    expect(recorder.lines()).toEqual(told(namespace, from));
  }
  expect(other.stats().replays).toBeLessThan(3);
  const { revision } = await storage.create(pods, 'ns3/later', json(1));
  await untilReached(truth, revision);
  const third = watches[3];
  await waitFor('what comes later', () => third?.recorder.last === revision);
});

test('what is compacted ends those that need it, and no others', async () => {
  const compacted = revisions[60] ?? 0;
  await used.client.compact(compacted);
  for (const { namespace, from, recorder } of watchEach()) {
    const isLost = from < compacted;
    await waitFor('its end, or all events', () =>
      isLost ? recorder.ended : recorder.lines().length >= told(namespace, from).length,
    );
    const end = isLost ? { code: 'compacted', revision: compacted } : undefined;
    if (end === undefined) expect(recorder.ended).toBeUndefined();
    else expect(recorder.ended).toMatchObject(end);
    expect(recorder.lines()).toEqual(isLost ? [] : told(namespace, from));
  }
});

test('one that does not read is left behind, and goes on where it was', async () => {
  const stuck = new Recorder();
  const gate = Promise.withResolvers<undefined>();
  stuck.gate = gate.promise.then(() => undefined);
  const start = { kind: 'after', revision: revisions[0] ?? 0 } as const;
  const { signal } = new AbortController();
  other.watch({ collection: pods, prefix: '', signal, start }, stuck);
  await waitFor('its first events', () => stuck.events.length > 0);
  for (const { namespace, from, recorder } of watchEach()) {
    await waitFor('all events', () => recorder.lines().length >= told(namespace, from).length);
    expect(recorder.lines()).toEqual(told(namespace, from));
  }
  expect(stuck.last).toBeLessThan(last());
  gate.resolve(undefined);
  await untilReached(stuck, last());
  expect(stuck.lines()).toEqual(truth.lines());
});

test('one that is closed while others are told holds up nothing', async () => {
  const closing = new AbortController();
  const recorder = new Recorder();
  const gate = Promise.withResolvers<undefined>();
  recorder.gate = gate.promise.then(() => undefined);
  const start = { kind: 'after', revision: revisions[0] ?? 0 } as const;
  other.watch({ collection: pods, prefix: '', signal: closing.signal, start }, recorder);
  const watches = watchEach();
  await waitFor('its first events', () => recorder.events.length > 0);
  closing.abort();
  for (const { namespace, from, recorder: one } of watches)
    await waitFor('all events', () => one.lines().length >= told(namespace, from).length);
  expect(recorder.lines().length).toBeLessThan(revisions.length - 1);
  gate.resolve(undefined);
});
