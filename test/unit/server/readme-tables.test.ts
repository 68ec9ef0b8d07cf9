/** README's tables say what the code says, both ways. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveFlags } from '../../../src/cli/flags.ts';
import { faultCodes } from '../../../src/server/faults.ts';
import { repositoryRoot } from '../../support/paths.ts';

const readme = readFileSync(join(repositoryRoot, 'README.md'), 'utf8');

/** Cells of the table below a heading. */
function rowsBelow(heading: string): string[][] {
  const section = readme.split(/^#+ /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

test('the table of flags has every flag with its default and purpose, and no other', () => {
  const documented = rowsBelow('Flags').map(([name, initial, purpose]) => [name, initial, purpose]);
  expect(documented).toEqual(serveFlags.map((flag) => [`--${flag.name}`, flag.default, flag.description]));
});

test('the table of start faults has every code with its meaning, and no other', () => {
  expect(rowsBelow('Start faults')).toEqual(Object.entries(faultCodes));
});
