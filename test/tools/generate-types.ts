/** Writes the TypeScript types of the catalogue beside its `.proto` files: `npm run generate`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateTypes } from './types-of-proto.ts';

for (const { path, text } of generateTypes(join(import.meta.dirname, '../../src/api'))) {
  writeFileSync(path, text);
}
