/** Declarations that a build keeps are those of the `.proto` files, for every release. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { protoFiles, readDeclarations, writeDeclarations } from '../../../src/schema/declarations.ts';
import { schemaRelease } from '../../../src/schema/schema-release.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orch-declarations-'));
  cpSync(join(import.meta.dirname, '../../../src/api'), folder, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

test('every release has the same declarations as by parsing', () => {
  const releases = Array.from({ length: 16 }, (_, index) => schemaRelease(21 + index));
  const parsed = releases.map((release) => readDeclarations(folder, release));
  writeDeclarations(folder);
  releases.forEach((release, index) => expect(readDeclarations(folder, release)).toEqual(parsed[index]));
  expect(parsed.at(-1)!.length).toBeGreaterThan(parsed[0]!.length);
});

test('they are read, and not parsed again', () => {
  writeDeclarations(folder);
  const [first] = protoFiles(folder);
  const text = readFileSync(first!, 'utf8');
  writeFileSync(first!, 'no declarations');
  expect(readDeclarations(folder, schemaRelease(21)).length).toBeGreaterThan(500);
  writeFileSync(first!, text);
});
