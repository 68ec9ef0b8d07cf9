/** Flags of Node for processes that serve. */
import { execFileSync } from 'node:child_process';
import { workerFlags } from '../../../src/workers/worker-flags.ts';
import { nodeBinary } from '../../support/paths.ts';

const youngGeneration = '--max-semi-space-size=16';

test('a worker has the flags of its supervisor, and none of an inspector', () => {
  const flags = workerFlags(['--disable-sigusr1', '--max-old-space-size=900']);
  expect(flags).toEqual([youngGeneration, '--max-old-space-size=900', '--disable-sigusr1']);
});

test.each([
  { chosen: 'flag', execArgv: ['--max-semi-space-size=64'], nodeOptions: '' },
  { chosen: 'flag with underscores', execArgv: ['--max_semi_space_size=64'], nodeOptions: '' },
  { chosen: 'variable', execArgv: [], nodeOptions: '--no-warnings --max-semi-space-size=64' },
])('a young generation that an operator has chosen by a $chosen stays', ({ execArgv, nodeOptions }) => {
  expect(workerFlags(execArgv, nodeOptions)).not.toContain(youngGeneration);
});

/** Keeps the youngest of very many objects, and prints the most megabytes that the young generation had. */
const work = `
const { getHeapSpaceStatistics } = require('node:v8');
const young = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
let most = 0;
const live = [];
for (let i = 0; i < 6_000_000; i += 1) {
  live[i % 400_000] = { i };
  if (i % 50_000 === 0) most = Math.max(most, young());
}
console.log(Math.round(most / 2 ** 20));`;
const program = `new (require('node:worker_threads').Worker)(${JSON.stringify(work)}, { eval: true })`;

test('each thread of a worker has at most two halves of 16 MB', () => {
  const printed = execFileSync(nodeBinary(), [...workerFlags([]), '-e', program], { encoding: 'utf8' });
  expect(Number(printed)).toBeGreaterThan(0);
  expect(Number(printed)).toBeLessThanOrEqual(34);
});
