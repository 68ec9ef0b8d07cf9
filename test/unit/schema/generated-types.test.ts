import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateTypes } from '../../tools/types-of-proto.ts';

test('the types beside the catalogue files are what `npm run generate` would write', () => {
  const stale = generateTypes(join(__dirname, '../../../src/api'))
    .filter(({ path, text }) => readFileSync(path, 'utf8') !== text)
    .map(({ path }) => path);
  expect(stale).toEqual([]);
});
