import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { defaultLimits } from '../../../../src/storage/options.ts';
import { StoredEntry } from '../../../../src/storage/view/stored-entry.ts';
import { EventRing } from '../../../../src/storage/watch/event-ring.ts';
import { RecentEvents } from '../../../../src/storage/watch/recent-events.ts';
import type { StoredEvent } from '../../../../src/storage/types.ts';
import { waitFor } from '../../../support/wait-for.ts';

function event(revision: number, collection = 'c', size = 10): StoredEvent {
  const key = 'k';
  const entry = new StoredEntry({
    collection,
    key,
    modRevision: revision,
    bytes: Buffer.alloc(size),
    mark: 0,
  });
  return { type: 'put', revision, collection, key, entry, previous: undefined };
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Refers to the entry of an event that is added. */
function addTo(recent: RecentEvents, revision: number): WeakRef<object> {
  const added = event(revision, 'c', 256 * 1024);
  recent.add([added]);
  return new WeakRef(added.entry);
}

const revisionsOf = (events: readonly StoredEvent[]): number[] => events.map(({ revision }) => revision);

describe('EventRing', () => {
  test('finds what came after a revision', () => {
    const ring = new EventRing(1);
    for (const revision of [3, 5, 5, 8]) ring.push(event(revision));
    expect([1, 3, 4, 5, 8, 9].map((revision) => revisionsOf(ring.after(revision, 10)))).toEqual([
      [3, 5, 5, 8],
      [5, 5, 8],
      [5, 5, 8],
      [8],
      [],
      [],
    ]);
    expect(revisionsOf(ring.after(3, 1))).toEqual([5, 5]);
    expect(ring.last).toBe(8);
  });

  test('drops whole revisions and says from where it is complete', () => {
    const ring = new EventRing(1);
    for (let i = 0; i < 200; i += 1) ring.push(event(10 + Math.floor(i / 2)));
    for (let i = 0; i < 60; i += 1) ring.dropOldest();
    expect([ring.floor, ring.size]).toEqual([69, 80]);
    expect(revisionsOf(ring.after(69, 2))).toEqual([70, 70]);
    ring.dropUntil(1_000);
    expect([ring.floor, ring.size, ring.bytes, ring.last]).toEqual([109, 0, 0, undefined]);
  });
});

describe('RecentEvents', () => {
  test('holds the bytes that it counts, and no more', async () => {
    const recent = new RecentEvents({ ...defaultLimits, ringBytes: 16 * 1024 * 1024 });
    recent.reset(1);
    const held = Array.from({ length: 118 }, (_, i) => addTo(recent, 2 + i));
    expect(recent.totals.events).toBe(63);
    await waitFor('the others are let go of', () => {
      collect();
      return held.filter((reference) => reference.deref() !== undefined).length <= 64;
    });
  });

  test('a busy collection does not push out the history of a quiet one', () => {
    const recent = new RecentEvents({ ...defaultLimits, ringBytes: 10_000 });
    recent.reset(1);
    recent.add([event(2, 'quiet')]);
    for (let revision = 3; revision < 200; revision += 1) recent.add([event(revision, 'busy')]);
    expect(recent.ring('quiet').floor).toBe(1);
    expect(recent.ring('busy').floor).toBeGreaterThan(100);
    expect(recent.totals.bytes).toBeLessThanOrEqual(10_000);
  });

  test('grows backwards by replayed history that fits', () => {
    const recent = new RecentEvents({ ...defaultLimits, ringEvents: 5 });
    recent.reset(10);
    recent.add([event(12), event(13)]);
    recent.extendBack('c', 4, [event(5), event(9), event(12)]);
    expect([recent.ring('c').floor, revisionsOf(recent.ring('c').after(0, 9))]).toEqual([4, [5, 9, 12, 13]]);
    recent.extendBack('c', 1, [event(2), event(3)]);
    recent.extendBack('c', 6, []);
    expect([recent.ring('c').floor, recent.totals.events]).toEqual([4, 4]);
  });

  test('drops rings that know no less than new ones: collections come and go', () => {
    const recent = new RecentEvents({ ...defaultLimits, maxAgeMs: 100 });
    recent.reset(1);
    recent.add([event(2, 'gone'), event(4, 'new'), event(9, 'kept')]);
    const floors = (): number[] => ['gone', 'new', 'never'].map((id) => recent.ring(id).floor);
    recent.age(0, 4);
    recent.age(200, 9);
    expect(floors()).toEqual([2, 4, 1]);
    recent.sweep(3);
    // What began at 2 or before is compacted. What is between there and the floor of another ring is asked of etcd.
    expect(floors()).toEqual([2, 4, 2]);
    expect(revisionsOf(recent.ring('kept').after(0, 9))).toEqual([9]);
  });

  test('is bounded by number and age', () => {
    const recent = new RecentEvents({ ...defaultLimits, ringEvents: 10, maxAgeMs: 100 });
    for (let revision = 1; revision <= 30; revision += 1) recent.add([event(revision)]);
    expect([recent.ring('c').size, recent.ring('c').floor]).toEqual([10, 20]);
    recent.age(0, 25);
    recent.age(50, 30);
    expect(recent.ring('c').floor).toBe(20);
    recent.age(120, 30);
    expect(recent.ring('c').floor).toBe(25);
    recent.age(200, 30);
    expect([recent.ring('c').floor, recent.totals]).toEqual([30, { events: 0, bytes: 0 }]);
    expect(recent.ring('other').floor).toBe(0);
  });
});
