import { foreignHelpers, importErrors, unusedPermissions } from '../../tools/import-check.ts';
import { importTable } from '../../tools/import-table.ts';
import { filesBelow, sourceFiles } from '../../tools/source-files.ts';

const table = {
  low: { may: [], packages: [] },
  high: { may: ['low', 'side/face.ts'], packages: ['express'] },
  side: { may: [], packages: [] },
};

describe('the checker', () => {
  const cases: { name: string; files: Record<string, string>; want: RegExp | undefined }[] = [
    {
      name: 'allows what the table allows',
      files: { 'high/a.ts': `import '../low/b.ts'; import 'express'; import 'node:fs';` },
      want: undefined,
    },
    {
      name: 'refuses an upward import',
      files: { 'low/a.ts': `import { x } from '../high/b.ts';` },
      want: /low\/a\.ts may not import src\/high\/b\.ts/,
    },
    {
      name: 'refuses an upward type import',
      files: { 'low/a.ts': `import type { x } from '../high/b.ts';` },
      want: /may not import/,
    },
    {
      name: 'refuses an upward re-export',
      files: { 'low/a.ts': `export { x } from '../high/b.ts';` },
      want: /may not import/,
    },
    {
      name: 'refuses a dynamic import',
      files: { 'low/a.ts': `const x = import('../high/b.ts');` },
      want: /may not import/,
    },
    { name: 'allows a face', files: { 'high/a.ts': `import '../side/face.ts';` }, want: undefined },
    {
      name: 'refuses what is behind a face',
      files: { 'high/a.ts': `import '../side/inner.ts';` },
      want: /side\/inner/,
    },
    {
      name: 'refuses a package without a row',
      files: { 'low/a.ts': `import 'express';` },
      want: /may not import express/,
    },
    { name: 'refuses a room without a row', files: { 'attic/a.ts': '' }, want: /no row/ },
    {
      name: 'finds a cycle',
      files: { 'low/a.ts': `import './b.ts';`, 'low/b.ts': `import './a.ts';` },
      want: /cycle: low\/a\.ts → low\/b\.ts → low\/a\.ts/,
    },
    {
      name: 'finds a cycle of types',
      files: { 'low/a.ts': `import type { B } from './b.ts';`, 'low/b.ts': `import './a.ts';` },
      want: /cycle: low\/a\.ts → low\/b\.ts → low\/a\.ts/,
    },
  ];
  test.each(cases)('$name', ({ files, want }) => {
    const errors = importErrors(
      Object.entries(files).map(([path, text]) => ({ path, text })),
      table,
    );
    if (want) expect(errors.join('\n')).toMatch(want);
    else expect(errors).toEqual([]);
  });
});

test('the checker finds permissions that no file uses', () => {
  const files = [
    { path: 'high/a.ts', text: `import '../low/b.ts';` },
    { path: 'low/b.ts', text: '' },
  ];
  expect(unusedPermissions(files, table)).toEqual([
    'high does not use src/side/face.ts',
    'high does not use express',
  ]);
});

test('every permission of the import table is used', () => {
  expect(unusedPermissions(sourceFiles(['.ts']), importTable)).toEqual([]);
});

test('the source keeps to the import table', () => {
  const files = sourceFiles(['.ts']);
  expect(files.length).toBeGreaterThan(50);
  expect(importErrors(files, importTable)).toEqual([]);
});

test('the checker finds a suite that reaches into another one', () => {
  const files = [
    {
      path: 'unit/a/x.test.ts',
      text: `import './help.ts'; import './support/more.ts'; import '../../support/all.ts';`,
    },
    { path: 'unit/b/y.test.ts', text: `import '../a/help.ts'; import '../../../src/base/json.ts';` },
  ];
  expect(foreignHelpers(files)).toEqual([
    'test/unit/b/y.test.ts reaches into the suite of test/unit/a/help.ts',
  ]);
});

test('no suite reaches into another one', () => {
  expect(foreignHelpers(filesBelow('test', ['.ts']))).toEqual([]);
});
