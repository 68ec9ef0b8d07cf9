import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { growthPercentOf } from '../../../src/base/heap-growth.ts';
import { nodeBinary, repositoryRoot } from '../../support/paths.ts';

const mebibyte = 2 ** 20;

test('a small heap grows as the engine thinks, a larger one up to a size, a very large one by a third', () => {
  expect([0, 50, 95].map((size) => growthPercentOf(size * mebibyte))).toEqual([0, 0, 0]);
  expect([100, 176, 352, 2_000].map((size) => growthPercentOf(size * mebibyte))).toEqual([252, 100, 33, 33]);
});

/** About 230 MiB are in use, and two gigabytes pass through the old space: the peak is told. */
const program = `
  const { boundHeapGrowth } = await import(${JSON.stringify(join(repositoryRoot, 'src/base/heap-growth.ts'))});
  boundHeapGrowth();
  const { constants, PerformanceObserver } = await import('node:perf_hooks');
  let toldOf = 0;
  // Observers are told together: the one under test, too.
  new PerformanceObserver((list) => {
    toldOf += list.getEntries().filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR).length;
  }).observe({ entryTypes: ['gc'] });
  const turn = () => new Promise(setImmediate);
  const make = (i) => ({ a: i + 0.5, b: [i, i, i, i], c: { i } });
  // Most objects die young, as in the service.
  const passing = [];
  for (let i = 0; i < 2_000_000; i += 1) passing[i % 1_000] = make(i);
  const inUse = 1_300_000;
  const kept = [];
  for (let i = 0; i < inUse; i += 1) kept[i] = make(i);
  // The first one is told of, the second one ends with the growth that follows from it.
  for (let i = 0; i < 2; i += 1) {
    const before = toldOf;
    globalThis.gc();
    while (toldOf === before) await turn();
    await turn();
  }
  if (process.memoryUsage().heapUsed < 180e6) throw new Error('too little is in use');
  let peak = 0;
  for (let i = 0; i < 9_000_000; i += 1) {
    kept[i % inUse] = make(i);
    if (i % 50_000 > 0) continue;
    await turn();
    peak = Math.max(peak, process.memoryUsage().heapUsed);
  }
  console.log(peak / 2 ** 20);
`;

test('garbage of a large heap is collected when it is less than what is in use', async () => {
  const { stdout } = await promisify(execFile)(nodeBinary(), [
    // So that a collection does not wait for threads that get no processor on a busy machine.
    ...['--expose-gc', '--single-threaded-gc'],
    ...['--input-type=module', '-e', program],
  ]);
  // A collection begins at 352 MiB, and goes on in steps while the program makes more; without the bound the peak is 1,460.
  expect(Number(stdout)).toBeLessThan(800);
});
