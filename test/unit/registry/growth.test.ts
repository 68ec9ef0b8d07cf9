/** No list or map of any kind, however long, takes longer than linearly to be written; see test/support/growth/main.ts. */
import { join } from 'node:path';
import { Child } from '../../support/child-process.ts';

const folder = join(import.meta.dirname, '..', '..', 'support', 'growth');
const main = join(folder, 'main.ts');
const allErrors = join(folder, 'all-errors.ts');
const parts = 2;

/** What a process that tries one part of them prints. */
async function outputOf(part: number): Promise<string[]> {
  const child = await Child.start({
    name: 'growth',
    program: process.execPath,
    // What allocates more than linearly is measured; what keeps more than this for a body ends with an error.
    args: [
      ...['--single-threaded-gc', '--max-old-space-size=500', '--import', allErrors],
      ...[main, '', String(part), String(parts)],
    ],
  });
  await child.closed;
  return child.output().trim().split('\n');
}

test('every list and map of every kind and version', async () => {
  const outputs = await Promise.all(Array.from({ length: parts }, (_, part) => outputOf(part)));
  expect(outputs.flatMap((lines) => lines.slice(0, -1))).toEqual([]);
  for (const lines of outputs) expect(lines.at(-1)).toMatch(/^\d{4,5} cases, \d+ s$/);
}, 900_000);
