/** A clock that is moved forward. */
import fc from 'fast-check';

import { VirtualClock } from '../../../src/testing/host/virtual-clock.ts';
import { HandClock } from '../../support/hand-clock.ts';

const atRest = (): Promise<void> => Promise.resolve();

function make(): {
  clock: VirtualClock;
  machine: HandClock;
  rung: string[];
  ring: (name: string) => () => void;
} {
  const machine = new HandClock(1_000_000);
  const clock = new VirtualClock(0, machine);
  const rung: string[] = [];
  const ring = (name: string) => () => {
    rung.push(`${name} at ${String(clock.monotonic())}`);
  };
  return { clock, machine, rung, ring };
}

test('it goes on like that of the machine', () => {
  const { clock, machine, rung, ring } = make();
  clock.setTimeout(ring('second'), 20);
  clock.setTimeout(ring('first'), 10);
  clock.setInterval(ring('often'), 15);
  machine.advance(9);
  expect(rung).toEqual([]);
  machine.advance(21);
  expect(rung).toEqual(['first at 10', 'often at 15', 'second at 20', 'often at 30']);
  expect(clock.now()).toBe(1_000_030);
});

test('a timer rings at its own time while it is moved, and what it sets as well', async () => {
  const { clock, rung, ring } = make();
  clock.setTimeout(ring('late'), 3_500_000);
  clock.setTimeout(() => {
    ring('early')();
    clock.setTimeout(ring('next'), 60_000);
  }, 1_000_000);
  await clock.advance(3_600_000, atRest);
  expect(rung).toEqual(['early at 1000000', 'next at 1060000', 'late at 3500000']);
  expect(clock.now()).toBe(1_000_000 + 3_600_000);
  expect(clock.offset).toBe(3_600_000);
});

test('all come to rest before the next timer rings', async () => {
  const { clock, rung, ring } = make();
  let atWork = Promise.resolve();
  clock.setTimeout(() => {
    ring('begin')();
    atWork = new Promise((resolve) => {
      setImmediate(() => {
        ring('end')();
        resolve();
      });
    });
  }, 1_000);
  clock.setTimeout(ring('other'), 1_000);
  await clock.advance(5_000, () => atWork);
  expect(rung).toEqual(['begin at 1000', 'end at 1000', 'other at 1000']);
});

test('an interval rings once after a leap, however often it was due', async () => {
  const { clock, machine, rung, ring } = make();
  clock.setInterval(ring('often'), 10);
  clock.setTimeout(ring('once'), 80_000);
  await clock.advance(100_000, atRest);
  expect(rung).toEqual(['often at 80000', 'once at 80000', 'often at 100000']);
  machine.advance(10);
  expect(rung.at(-1)).toBe('often at 100010');
});

test('timers of a millisecond do not make a year of steps', async () => {
  const { clock } = make();
  let rings = 0;
  const again = (): void => {
    rings += 1;
    clock.setTimeout(again, 1);
  };
  again();
  await clock.advance(365 * 86_400_000, atRest);
  expect(rings).toBeGreaterThan(100);
  expect(rings).toBeLessThanOrEqual(201);
});

test('a timer that was set before it was moved rings when the rest of its time has passed', async () => {
  const { clock, machine, rung, ring } = make();
  clock.setTimeout(ring('one'), 1_000);
  await clock.advance(900, atRest);
  machine.advance(99);
  expect(rung).toEqual([]);
  machine.advance(1);
  expect(rung).toEqual(['one at 1000']);
});

test('stopped timers do not ring, and leave nothing behind', async () => {
  const { clock, machine, rung, ring } = make();
  for (let i = 0; i < 10_000; i += 1) clock.clear(clock.setTimeout(ring('never'), 1_000 + i));
  const interval = clock.setInterval(ring('never'), 10);
  clock.clear(interval);
  clock.clear(interval);
  clock.clear(undefined);
  await clock.advance(60_000, atRest);
  expect(rung).toEqual([]);
  machine.advance(60_000);
  expect(machine.timers).toBe(0);
});

test('the steady clock has the same date, and no leaps', async () => {
  const { clock, machine, rung, ring } = make();
  clock.steady.setTimeout(ring('limit'), 100);
  await clock.advance(3_600_000, atRest);
  expect(rung).toEqual([]);
  expect(clock.steady.now()).toBe(clock.now());
  expect(clock.steady.monotonic()).toBe(0);
  machine.advance(100);
  expect(rung).toHaveLength(1);
});

test('moves wait for each other, also for one that failed', async () => {
  const { clock } = make();
  const failing = clock.advance(1_000, () => Promise.reject(new Error('no rest')));
  const next = clock.advance(1_000, atRest);
  await expect(failing).rejects.toThrow('no rest');
  await next;
  expect(clock.offset).toBe(1_000);
});

test('whatever is set: all that is due rings, in order, at most a 200th late', async () => {
  const timers = fc.array(
    fc.record({ ms: fc.integer({ min: 1, max: 20_000 }), then: fc.integer({ min: 1, max: 9_000 }) }),
  );
  await fc.assert(
    fc.asyncProperty(timers, fc.integer({ min: 1, max: 15_000 }), async (set, ms) => {
      const { clock } = make();
      const rung: { readonly dueAt: number; readonly at: number }[] = [];
      const add = (after: number, then?: number): void => {
        const dueAt = clock.monotonic() + after;
        clock.setTimeout(() => {
          rung.push({ dueAt, at: clock.monotonic() });
          if (then !== undefined) add(then);
        }, after);
      };
      for (const { ms: after, then } of set) add(after, then);
      await clock.advance(ms, atRest);
      for (const { dueAt, at } of rung) {
        expect(at).toBeGreaterThanOrEqual(dueAt);
        expect(at - dueAt).toBeLessThanOrEqual(ms / 200 + 1e-6);
      }
      const dueTimes = rung.map(({ dueAt }) => dueAt);
      expect(dueTimes.every((dueAt, i) => dueAt >= (dueTimes[i - 1] ?? 0) - ms / 200)).toBe(true);
      expect(rung.filter(({ dueAt }) => dueAt <= ms).length).toBe(rung.length);
      expect(rung.length).toBeGreaterThanOrEqual(set.filter(({ ms: after }) => after <= ms).length);
    }),
  );
});
