/** Who searches for a word of the field finds it in a heading of a guide; every guide is found from the first one. */
import { join } from 'node:path';
import { headingsOf, readmePaths, readmeText } from '../../support/readme.ts';

const words = [
  'Authentication',
  'Authorization',
  'Admission',
  'Audit',
  'API Priority and Fairness',
  'Informer',
  'Reconciler',
  'Work queue',
  'Watch cache',
  'Keepalive',
  'CA bundle',
  'In-flight limit',
  'Non-resource URL',
  'Subresource',
  'Precondition',
  'Connection draining',
  'Feature gates',
  'Leader election',
  'Server-side apply',
  'Health',
];

const guides = readmePaths();
const headings = guides.flatMap((guide) => headingsOf(readmeText(guide)));

test.each(words)('%s stands in a heading', (word) => {
  const found = headings.filter((heading) => heading.toLowerCase().includes(word.toLowerCase()));
  expect(found).not.toEqual([]);
});

test('the first guide links to all others', () => {
  const links = [...readmeText('README.md').matchAll(/\]\(([^)#]+\.md)/g)].map((match) =>
    join(match[1] ?? ''),
  );
  expect(guides.filter((guide) => guide !== 'README.md' && !links.includes(guide))).toEqual([]);
});

/** Rows that begin with a word of the code repeat what the code says. */
function proseLines(guide: string): string[] {
  return readmeText(guide)
    .split('\n')
    .filter((line) => !line.startsWith('| `'));
}

test('guides are plain, and cite what a reader can open', () => {
  const unwanted = /\b(?:anew|whoever|(?:is|are|be) told|architecture\.md|behaviours\.md)\b/i;
  const lines = guides.flatMap((guide) => proseLines(guide).map((line) => `${guide}: ${line}`));
  expect(lines.filter((line) => unwanted.test(line))).toEqual([]);
});
