/** Files and folders that guides name exist, and so do the headings that their links point to. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { repositoryRoot } from '../../support/paths.ts';
import { headingsOf, proseOf, readmePaths, readmeText } from '../../support/readme.ts';

const endings = 'ts|mjs|md|proto|yml|lua|cfg|json';
const fromRoot = new RegExp(`(?<![\\w./-])(?:src|test|deploy)/[\\w./-]+\\.(?:${endings})\\b`, 'g');
const quotedFile = new RegExp(`\`([\\w./-]+\\.(?:${endings}))\``, 'g');
const quotedFolder = /`((?:src|test|deploy)\/[\w./-]*)`/g;
const link = /\]\(([^)\s#]*)(?:#([^)\s]+))?\)/g;

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? match[0]);
}

/** A path is written from the root, from `src`, or from the folder of its guide; a mere name stands somewhere below that folder. */
function isThere(path: string, guide: string): boolean {
  const folder = dirname(guide);
  if (['.', 'src', folder].some((base) => existsSync(join(repositoryRoot, base, path)))) return true;
  return folder !== '.' && !path.includes('/') && namesBelow(folder).has(path);
}

function namesBelow(folder: string): ReadonlySet<string> {
  const found = readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: 'utf8' });
  return new Set(found.map((path) => basename(path)));
}

/** As GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

describe.each(readmePaths())('%s', (guide) => {
  const text = readmeText(guide);

  test('names files and folders that exist', () => {
    const named = [
      ...matches(text, fromRoot),
      ...matches(proseOf(text), quotedFile),
      ...matches(text, quotedFolder),
    ];
    expect(named.filter((path) => !isThere(path, guide))).toEqual([]);
  });

  test('links to files and headings that exist', () => {
    const links = [...proseOf(text).matchAll(link)].filter(([, to = '']) => !/^https?:/.test(to));
    const broken = links.filter(([, to = '', anchor]) => {
      const path = to === '' ? guide : join(dirname(guide), to);
      if (!existsSync(join(repositoryRoot, path))) return true;
      return anchor !== undefined && !headingsOf(readmeText(path)).map(anchorOf).includes(anchor);
    });
    expect(broken.map(([whole]) => whole)).toEqual([]);
  });
});

test('the guides name files', () => {
  const named = readmePaths().flatMap((guide) => matches(readmeText(guide), fromRoot));
  expect(named.length).toBeGreaterThan(100);
});
