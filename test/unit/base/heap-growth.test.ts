import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { growthPercentOf } from '../../../src/base/heap-growth.ts';
import { nodeBinary, repositoryRoot } from '../../support/paths.ts';

const mebibyte = 2 ** 20;

test('a small heap grows as the engine thinks, a larger one by a bounded size, a very large one by half', () => {
  expect([0, 50, 95].map((size) => growthPercentOf(size * mebibyte))).toEqual([0, 0, 0]);
  expect([100, 160, 320, 2_000].map((size) => growthPercentOf(size * mebibyte))).toEqual([160, 100, 50, 50]);
});

/** About 230 MiB are in use, and two gigabytes pass through the old space: of its second half the peak is told. */
const program = `
  const { boundHeapGrowth } = await import(${JSON.stringify(join(repositoryRoot, 'src/base/heap-growth.ts'))});
  boundHeapGrowth();
  const make = (i) => ({ a: i + 0.5, b: [i, i, i, i], c: { i } });
  const kept = [];
  let peak = 0;
  for (let i = 0; i < 10_000_000; i += 1) {
    kept[i % 1_300_000] = make(i);
    if (i % 50_000 > 0) continue;
    await new Promise(setImmediate);
    if (i > 5_000_000) peak = Math.max(peak, process.memoryUsage().heapUsed);
  }
  if (process.memoryUsage().heapUsed < 150e6) throw new Error('too little is in use');
  console.log(peak / 2 ** 20);
`;

test('garbage of a large heap is collected when it is less than what is in use', async () => {
  const { stdout } = await promisify(execFile)(nodeBinary(), ['--input-type=module', '-e', program]);
  // In use, what may be added, and what comes while a collection runs; the engine alone lets it grow to 945.
  expect(Number(stdout)).toBeLessThan(650);
});
