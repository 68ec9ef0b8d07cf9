/** No list or map of any kind, however long, takes longer than linearly to be written; see test/support/growth/main.ts. */
import { join } from 'node:path';
import { Child } from '../../support/child-process.ts';
import { growthSeeds } from '../../support/growth/plan.ts';

const folder = join(import.meta.dirname, '..', '..', 'support', 'growth');
const main = join(folder, 'main.ts');
const allErrors = join(folder, 'all-errors.ts');
const parts = 2;
/** Another sample each time; all seeds together try everything. */
const seed = Number(process.env['ORCH_TEST_GROWTH_SEED'] ?? Math.floor(Math.random() * growthSeeds));

/** What a process prints that tries one part of them, or only those whose names have this. */
async function outputOf(part: number, of = parts, only = ''): Promise<string[]> {
  const child = await Child.start({
    name: 'growth',
    program: process.execPath,
    // What allocates more than linearly is measured; what keeps more than this for a body ends with an error.
    args: [
      ...['--single-threaded-gc', '--max-old-space-size=500', '--import', allErrors],
      ...[main, only, String(part), String(of), String(seed)],
    ],
  });
  await child.closed;
  return child.output().trim().split('\n');
}

const placeIn = (line: string): string => line.split(', ', 1)[0] ?? '';
const caseIn = (line: string): string => line.split(':', 1)[0] ?? '';

/** A processor that another one slows down makes single figures grow: what grows does so alone, too. */
async function failAlone(lines: string[]): Promise<string[]> {
  const again: string[] = [];
  for (const place of new Set(lines.map(placeIn))) again.push(...(await outputOf(0, 1, place)).slice(0, -1));
  const failing = new Set(again.map(caseIn));
  return lines.filter((line) => failing.has(caseIn(line)));
}

test('every list and map of every kind and version', async () => {
  process.stdout.write(`growth: ORCH_TEST_GROWTH_SEED=${String(seed)}\n`);
  const outputs = await Promise.all(Array.from({ length: parts }, (_, part) => outputOf(part)));
  for (const lines of outputs) expect(lines.at(-1)).toMatch(/^\d{4,5} cases, \d+ s$/);
  const failed = outputs.flatMap((lines) => lines.slice(0, -1));
  expect({ seed, grows: failed.length > 20 ? failed : await failAlone(failed) }).toEqual({ seed, grows: [] });
}, 900_000);
