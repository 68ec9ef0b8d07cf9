import { setImmediate as nextTurn } from 'node:timers/promises';
import { SharedSlice } from '../../../src/base/cooperate.ts';
import { useEventLoop } from '../../../src/base/event-loop.ts';

function hold(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('loops that share a slice all get on, and everything else has its turn between', async () => {
  const slice = new SharedSlice();
  const steps = Array.from({ length: 10 }, () => 0);
  const loop = async (index: number): Promise<void> => {
    for (let step = 1; step <= 10; step += 1) {
      if (slice.shouldYield()) await slice.yieldNow();
      hold(1);
      steps[index] = step;
    }
  };
  let isOver = false;
  const all = Promise.all(steps.map((_none, index) => loop(index))).finally(() => {
    isOver = true;
  });
  let turns = 0;
  while (!isOver) {
    await nextTurn();
    turns += 1;
  }
  await all;
  expect(steps).toEqual(steps.map(() => 10));
  // 100 ms of work in slices of 8 ms; with a slice of its own for each loop it would be two turns.
  expect(turns).toBeGreaterThan(8);
});

test('many loops with a little to do each all go on, in the order in which they yielded', async () => {
  const slice = new SharedSlice();
  const done: number[] = [];
  const loop = async (index: number): Promise<void> => {
    await slice.yieldNow();
    done.push(index);
    // One that goes on for long keeps nobody from the next slice.
    if (index === 0) for (let step = 0; step < 10; step += 1) if (slice.shouldYield()) await slice.yieldNow();
  };
  const indexes = Array.from({ length: 200 }, (_none, index) => index);
  await Promise.all(indexes.map(loop));
  expect(done).toEqual(indexes);
});

test.each([1, 5])(
  '%d loops of many short steps use their slices, and do not wait for a turn at each step',
  async (count) => {
    const slice = new SharedSlice();
    const steps = 1_000;
    const loop = async (): Promise<void> => {
      for (let step = 0; step < steps; step += 1) if (slice.shouldYield()) await slice.yieldNow();
    };
    let [looks, turns] = [0, 0];
    // Each look at the clock finds it 0.1 ms further on.
    useEventLoop({ now: () => (looks += 1) / 10, nextTurn: (go) => void ((turns += 1), setImmediate(go)) });
    try {
      await Promise.all(Array.from({ length: count }, loop));
    } finally {
      useEventLoop(undefined);
    }
    // In a slice of 3 ms the clock is looked at 30 times.
    expect(turns).toBeGreaterThan((count * steps) / 40);
    expect(turns).toBeLessThan((count * steps) / 20);
  },
);
