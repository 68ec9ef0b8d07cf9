/** Watches that end together, as history is lost: none gets anything behind it, and a few are told in a turn. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../../../src/base/clock.ts';
import { StorageError, type StoredEvent, type WatchHandle } from '../../../../src/storage/types.ts';
import { UnreadableEntry } from '../../../../src/storage/view/entry-reader.ts';
import { WatchHub, type HubDependencies } from '../../../../src/storage/watch/hub.ts';
import { TurnCounts } from '../../../support/turn-counts.ts';
import { waitFor } from '../../../support/wait-for.ts';

const count = 500;
const collection = 'core/pods';
const lost = new StorageError('compacted', 'its history is lost', { revision: 9 });
const unreadable = new UnreadableEntry({ collection, key: 'x/a' }, 6, 'no object');
const nothing = (): void => undefined;

const deps = {
  clock: systemClock,
  logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  view: { revision: 5, loadedAt: 1, trustedFrom: () => 0, past: { epoch: 0 } },
  freshness: { loaded: () => Promise.resolve(), notOlderThan: () => Promise.resolve() },
  recent: { ring: () => ({ floor: 0, last: 5, after: () => [] }) },
  limits: { replays: 1 },
} as unknown as HubDependencies;

function event(revision: number): StoredEvent {
  const entry = { collection, key: 'x/a', modRevision: revision, bytes: Buffer.from('{}'), memo: undefined };
  return { type: 'put', collection, key: 'x/a', revision, entry, previous: undefined };
}

let counts: TurnCounts;
let hub: WatchHub;
let handles: WatchHandle[];
let events: number;
let reasons: StorageError[];

beforeEach(async () => {
  counts = new TurnCounts();
  hub = new WatchHub(deps);
  [events, reasons] = [0, []];
  let live = 0;
  const subscriber = {
    ...{ onEstablished: nothing, onInitial: nothing, ready: () => Promise.resolve() },
    onProgress: () => (live += 1),
    onEvents: () => (events += 1),
    onEnd: (reason: StorageError) => {
      counts.note();
      reasons.push(reason);
    },
  };
  const { signal } = new AbortController();
  handles = Array.from({ length: count }, (_, i) => {
    const scope = i % 2 === 0 ? { prefix: 'x/' } : { prefix: 'x/a', exactKey: true, relists: true };
    return hub.watch({ collection, ...scope, signal, start: { kind: 'after', revision: 5 } }, subscriber);
  });
  await waitFor('all of them', () => live === count);
});
afterEach(() => counts.end());

test.each<[string, number, () => unknown]>([
  ['all', count, () => hub.endAll(lost)],
  ['those of a collection', count, () => hub.endCollection(collection, lost)],
  ['those that list again', count / 2, () => hub.endRelisting(collection, lost)],
  ['those of an object that cannot be read', count, () => hub.endWatchesOf(unreadable, lost)],
])('%s', async (_which, ending, end) => {
  end();
  hub.publish([event(6)], 6);
  // By itself, before its turn.
  handles.at(-1)?.close();
  await waitFor('the ends', () => hub.counters.watches === count - ending);
  await nextTurn();
  expect(new Set(reasons)).toEqual(new Set([lost]));
  expect([reasons.length, events]).toEqual([ending - 1, count - ending]);
  expect(counts.most).toBeLessThanOrEqual(32);
});
