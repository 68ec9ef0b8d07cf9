/** The guides of the repository, for tests that compare them with the code. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { repositoryRoot } from './paths.ts';

/** Every README.md of the checkout, relative to its root. */
export function readmePaths(): string[] {
  const below = ['deploy', 'src', 'test'].flatMap((folder) =>
    readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => basename(path) === 'README.md')
      .map((path) => join(folder, path)),
  );
  return ['README.md', ...below.sort()];
}

/** @throws when there is none */
export function readmeText(path: string): string {
  return readFileSync(join(repositoryRoot, path), 'utf8');
}

/** The text without its blocks of code. */
export function proseOf(text: string): string {
  return text.replace(/^```[^]*?^```$/gm, '');
}

/** Headings in their order, without their marks. */
export function headingsOf(text: string): string[] {
  return [...proseOf(text).matchAll(/^#+ (.+)$/gm)].map((match) => match[1] ?? '');
}

/** Cells of the rows below a heading that begin with a word of the code. @throws when there is no such heading */
export function rowsBelow(path: string, heading: string): string[][] {
  const sections = readmeText(path).split(/^#+ /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${path} has no heading ${JSON.stringify(heading)}`);
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
