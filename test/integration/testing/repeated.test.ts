/** A process that resets, forks and starts control planes again and again holds no more than one that did it a few times. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { keepingCode } from '../../support/kept-code.ts';
import { nodeBinary } from '../../support/paths.ts';
import type { Held } from './support/repeated.ts';

const program = join(import.meta.dirname, 'support', 'repeated.ts');
const limitMs = 280_000;
/** An idle connection more or less. */
const slack = 2;
/** A control plane has about 4 MB. Code that is compiled on the way, logs and the history of etcd take up to 2 MB. */
const mostHeapGrowth = 8 * 1024 * 1024;

/** @returns what is held after each fifth of the rounds */
async function repeated(what: string, times: number): Promise<readonly Held[]> {
  const args = ['--expose-gc', program, what, String(times / 5)];
  const { stdout } = await promisify(execFile)(nodeBinary(), args, { timeout: limitMs, env: keepingCode() });
  return JSON.parse(stdout) as readonly Held[];
}

test.each([
  ['reset', 200],
  ['fork', 50],
  ['start', 50],
])(
  '%s, %d times: no file, timer, listener or memory stays',
  async (what, times) => {
    const found = await repeated(what, times);
    const [first, last] = [found[0], found.at(-1)];
    if (first === undefined || last === undefined) throw new Error('nothing was counted');
    expect(found).toHaveLength(5);
    expect(last.files).toBeLessThanOrEqual(first.files + slack);
    expect(last.listeners).toBeLessThanOrEqual(first.listeners + slack);
    for (const [kind, count] of Object.entries(last.resources))
      expect([kind, Math.max(0, count - (first.resources[kind] ?? 0) - slack)]).toEqual([kind, 0]);
    expect(last.heapBytes - first.heapBytes).toBeLessThan(mostHeapGrowth);
  },
  limitMs + 20_000,
);
