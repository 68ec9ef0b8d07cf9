/** Watches that the service ends all at once, as when it stops or a definition goes: some in each turn of the event loop. */
import { laterTurn } from '../../../src/base/cooperate.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import { OpenWatches, type OpenWatch, type WatchEnd } from '../../../src/http/watch/open-watches.ts';
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
