/** Printer columns of a definition: those of a row are bounded together. */
import { customColumns } from '../../../src/extension/custom-resources/custom-columns.ts';
import { leastShare } from '../../support/cpu-time.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ApiObject } from '../../../src/meta/object.ts';

/** The cells of a row with `count` equal columns behind the name. */
function row(count: number, jsonPath: string, spec: unknown): unknown[] {
  const columns = Array.from({ length: count }, (_, i) => ({ name: `c${i}`, type: 'string', jsonPath }));
  const object = { metadata: { name: 'a' }, spec } as unknown as ApiObject;
  return customColumns(columns).map(({ cell }) => cell(object, namingProfiles.orch));
}

test('a few columns show what they find', () => {
  expect(row(2, '.spec.text', { text: 'x' })).toEqual(['a', 'x', 'x']);
});

test('paths of columns are read when a row shows them: reading a definition costs next to nothing', async () => {
  const filter = (i: number): string => `.spec.items[?(@.a=="${i}")].b`;
  const columns = Array.from({ length: 20_000 }, (_, i) => ({ name: `c${i}`, jsonPath: filter(i) }));
  expect(await leastShare(20, () => customColumns(columns))).toBeLessThan(1);
});

test('thousands of columns that look at everything look at no more than one may', () => {
  const items = Array.from({ length: 3_000 }, () => ({ a: 1 }));
  const looks = jest.spyOn(Object, 'values');
  row(3_000, '.spec..a', { items });
  const count = looks.mock.calls.length;
  looks.mockRestore();
  expect(count).toBeLessThan(200_000);
});

test.each([
  ['a large value', '.spec', { items: Array.from({ length: 10_000 }, (_, i) => `text ${i}`) }],
  ['a long text', '.spec.text', { text: 'x'.repeat(100_000) }],
])('thousands of columns that show %s have a bounded text', (_what, path, spec) => {
  const cells = row(3_000, path, spec);
  expect(cells[1]).toEqual(expect.stringContaining('x'));
  expect(cells.join('').length).toBeLessThan(1024 * 1024 + 10);
});
