/** No list or map of any kind, however long, takes longer than linearly to be written; see test/support/growth/main.ts. */
import { join } from 'node:path';
import { Child } from '../../support/child-process.ts';

const main = join(import.meta.dirname, '..', '..', 'support', 'growth', 'main.ts');

test('every list and map of every kind and version', async () => {
  const child = await Child.start({
    name: 'growth',
    program: process.execPath,
    // What needs more memory than this for bodies of some 100 KB ends with an error.
    args: ['--single-threaded-gc', '--max-old-space-size=500', main],
  });
  await child.closed;
  const lines = child.output().trim().split('\n');
  expect(lines.slice(0, -1)).toEqual([]);
  expect(lines.at(-1)).toMatch(/^\d{5} cases, \d+ s$/);
}, 900_000);
