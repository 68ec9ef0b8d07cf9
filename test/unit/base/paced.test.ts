import { Paced } from '../../../src/base/paced.ts';
import { HandClock } from '../../support/hand-clock.ts';

/** Work that takes so long by the clock. */
function paced(clock: HandClock, tookMs: number): { readonly work: Paced; readonly runs: () => number } {
  let runs = 0;
  const action = (): void => {
    runs += 1;
    clock.advance(tookMs);
  };
  return { work: new Paced(action, clock), runs: () => runs };
}

const microtasks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('calls of one turn are one run, at its end', async () => {
  const { work, runs } = paced(new HandClock(), 0);
  for (let i = 0; i < 10; i += 1) work.note();
  expect(runs()).toBe(0);
  await microtasks();
  expect(runs()).toBe(1);
});

test('work that takes no time does not rest', async () => {
  const { work, runs } = paced(new HandClock(), 0);
  for (let i = 0; i < 10; i += 1) {
    work.note();
    await microtasks();
  }
  expect(runs()).toBe(10);
});

test('ten thousand changes in a minute take a twentieth of it, and the last one is seen', async () => {
  const clock = new HandClock();
  const { work, runs } = paced(clock, 30);
  const started = clock.monotonic();
  while (clock.monotonic() < started + 60_000) {
    work.note();
    await Promise.resolve();
    clock.advance(6);
  }
  expect(runs() * 30).toBeLessThanOrEqual(60_000 / 19);
  expect(runs()).toBeGreaterThan(50);
  const before = runs();
  work.note();
  clock.advance(2_000);
  await microtasks();
  expect(runs()).toBe(before + 1);
  clock.advance(60_000);
  expect(runs()).toBe(before + 1);
});

test('a rest is two seconds at most', async () => {
  const clock = new HandClock();
  const { work, runs } = paced(clock, 5_000);
  work.note();
  await microtasks();
  work.note();
  clock.advance(2_000);
  expect(runs()).toBe(2);
});

test('what is closed does not run, at once or after its rest', async () => {
  const clock = new HandClock();
  const { work, runs } = paced(clock, 10);
  work.note();
  await microtasks();
  work.note();
  work.close();
  clock.advance(10_000);
  work.note();
  await microtasks();
  expect(runs()).toBe(1);
  expect(clock.timers).toBe(0);
});

test('calls while work of several turns goes on are one run after its rest', async () => {
  const clock = new HandClock();
  const runs: PromiseWithResolvers<void>[] = [];
  const work = new Paced(() => {
    runs.push(Promise.withResolvers());
    return runs.at(-1)?.promise;
  }, clock);
  work.note();
  await microtasks();
  work.note();
  work.note();
  clock.advance(50);
  await microtasks();
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await microtasks();
  clock.advance(900);
  expect(runs).toHaveLength(1);
  clock.advance(100);
  expect(runs).toHaveLength(2);
  work.note();
  work.close();
  runs[1]?.resolve();
  await microtasks();
  clock.advance(10_000);
  expect([runs.length, clock.timers]).toEqual([2, 0]);
});
