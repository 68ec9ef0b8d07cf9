/** Watches that the service ends all at once, as when it stops or a definition goes: some in each turn of the event loop. */
import { laterTurn } from '../../../src/base/cooperate.ts';
import type { ServedResource, WatchSink } from '../../../src/registry/types.ts';
import { OpenWatches, type OpenWatch, type WatchEnd } from '../../../src/http/watch/open-watches.ts';
import { openRoom } from '../../support/http/room.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { TurnCounts } from '../../support/turn-counts.ts';
import { countedTurns } from '../../support/counted-turns.ts';
import { waitFor } from '../../support/wait-for.ts';

const mostOfATurn = 64;
const count = 1_000;
const turns = countedTurns();
type Opened = Parameters<OpenWatches['enter']>[1];

let watches: OpenWatches;
let ended: Map<number, WatchEnd>;

beforeEach(() => {
  watches = new OpenWatches();
  ended = new Map();
});

/** One that leaves when it is ended, as watches do. */
function open(id: number, resource = 'pods'): OpenWatch {
  const watch = {
    end: (reason: WatchEnd) => {
      turns.step(0);
      ended.set(id, reason);
      watches.leave(watch);
    },
  };
  watches.enter(watch, { resource: { gvr: { resource } } as ServedResource } as Opened);
  return watch;
}

test('of a stop', async () => {
  const all = Array.from({ length: count }, (_, i) => open(i));
  watches.close();
  expect(ended.size).toBe(mostOfATurn);
  open(count);
  expect(ended.get(count)).toBe('shutdown');
  // It ends by itself before its turn has come.
  watches.leave(all.at(-1) as OpenWatch);
  await waitFor('the ends', () => watches.size === 0);
  expect([ended.size, ended.has(count - 1)]).toEqual([count, false]);
  expect(new Set(ended.values())).toEqual(new Set(['shutdown']));
  expect(turns.most()).toBeLessThanOrEqual(mostOfATurn + 1);
});

test('of a resource that goes', async () => {
  for (let i = 0; i < count; i += 1) open(i, i % 2 === 0 ? 'pods' : 'others');
  watches.endOf(({ gvr }) => gvr.resource === 'pods');
  // Those that begin behind it are none of them.
  open(count, 'pods');
  await waitFor('the ends', () => watches.size <= count / 2 + 1);
  await laterTurn();
  expect(Array.from(ended.keys()).filter((id) => id % 2 === 0 && id < count)).toHaveLength(count / 2);
  expect([ended.size, new Set(ended.values())]).toEqual([count / 2, new Set(['unserved'])]);
  expect(turns.most()).toBeLessThanOrEqual(mostOfATurn);
});

test.each([
  ['their time is over', '', 600_000],
  ['their last bookmark is due', '&allowWatchBookmarks=true', 598_000],
])(
  'of watches that began together, when %s',
  async (_what, query, ms) => {
    const folder = await makeTempFolder('many-watch-ends');
    const clock = new HandClock();
    const room = await openRoom(folder.path, { clock });
    const counts = new TurnCounts();
    const opened = 200;
    const sinks: WatchSink[] = [];
    room.verbs.watch = (_scope, _query, sink) => {
      sinks.push(sink);
      return Promise.resolve({ close: () => counts.note() });
    };
    try {
      for (let i = 0; i < opened; i += 1) {
        const path = `/api/v1/namespaces/x/pods?watch=1&timeoutSeconds=600${query}`;
        const answer = await room.open(path);
        answer.on('data', () => counts.note());
      }
      for (const sink of sinks) sink.onBookmark(20, false);
      const before = counts.all;
      clock.advance(ms);
      expect(counts.all).toBe(before);
      await waitFor('all of them', () => counts.all === opened);
      expect(counts.most).toBeLessThanOrEqual(mostOfATurn + 16);
    } finally {
      counts.end();
      await room.close();
      await folder.remove();
    }
  },
  60_000,
);
