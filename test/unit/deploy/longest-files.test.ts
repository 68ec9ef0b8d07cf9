/** Test files that run first, as they take minutes: a name that is none would change nothing, unnoticed. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const longest = JSON.parse(readFileSync(join(root, 'test/tools/longest-files.json'), 'utf8')) as string[];

test.each(longest)('%s is a file', (file) => {
  expect(existsSync(join(root, file))).toBe(true);
});
