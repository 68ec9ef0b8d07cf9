import { array, assert, boolean, property } from 'fast-check';
import { Fifo } from '../../../src/base/fifo.ts';
import { cpuMsOf, leastShare } from '../../support/cpu-time.ts';

test('is what an array is of which the first item is taken', () => {
  assert(
    property(array(boolean(), { maxLength: 3_000, size: 'max' }), (pushes) => {
      const fifo = new Fifo<number>();
      const all: number[] = [];
      for (const [i, isPush] of pushes.entries()) {
        if (isPush) expect(fifo.push(i)).toBe(all.push(i));
        else expect(fifo.shift()).toBe(all.shift());
        expect([fifo.length, fifo.first]).toEqual([all.length, all[0]]);
      }
      while (all.length > 0) expect(fifo.shift()).toBe(all.shift());
      expect([fifo.length, fifo.shift()]).toEqual([0, undefined]);
    }),
    { numRuns: 12 },
  );
});

test('items that come while others are taken keep their order, far beyond what is kept empty', () => {
  const fifo = new Fifo<number>();
  let [next, wanted] = [0, 0];
  for (let round = 0; round < 2_000; round += 1) {
    for (let i = 0; i < 7; i += 1) fifo.push(next++);
    for (let i = 0; i < 5; i += 1)
      if (fifo.shift() !== wanted++) throw new Error(`not ${String(wanted - 1)}`);
  }
  expect(fifo.length).toBe(next - wanted);
});

test('a hundred thousand items are taken in time for each', async () => {
  const takeAll = (): void => {
    const fifo = new Fifo<object>();
    for (let i = 0; i < 100_000; i += 1) fifo.push({ i });
    while (fifo.shift() !== undefined);
  };
  cpuMsOf(takeAll);
  // An array takes ten seconds.
  expect(await leastShare(100, takeAll)).toBeLessThan(1);
});
