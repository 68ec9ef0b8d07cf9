/** Lists whose items repeat a merge key, and keys that look alike, under strategic merge patch. */
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { PatchError } from '../../../src/patch/patch-error.ts';
import { applyStrategicMergePatch } from '../../../src/patch/strategic-merge-patch.ts';
import { deepFrozen } from '../../support/deep-frozen.ts';
import { field, listOf, scalar, struct } from '../../support/schema.ts';

const merging = (patchMergeKey = '') => ({ patchStrategies: ['merge' as const], patchMergeKey });
const ports = listOf(struct('Port', [field('port', scalar('integer'))]));
const item = struct('Item', [
  field('name', scalar('string')),
  field('value', scalar('string')),
  field('other', scalar('string')),
  field('ports', ports, merging('port')),
]);
const schema = struct('Object', [
  field('items', listOf(item), merging('name')),
  field('numbers', listOf(scalar('integer')), merging()),
]);

function apply(document: JsonObject, patch: JsonValue): JsonObject {
  return applyStrategicMergePatch(deepFrozen(document), deepFrozen(patch), schema);
}

const abc = { items: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] };

describe('items that repeat a merge key', () => {
  const times = (count: number, of: (i: number) => JsonObject): JsonObject[] =>
    Array.from({ length: count }, (_, i) => of(i));
  const withPorts = (count: number) => ({
    items: [{ name: 'a', ports: times(count, (port) => ({ port })) }],
  });
  const repeated = (count: number) => ({ items: times(count, () => ({ name: 'a', ports: [{ port: 0 }] })) });

  test('merge one after the other', () => {
    const patch = {
      items: [
        { name: 'a', value: '1' },
        { name: 'a', other: '2' },
      ],
    };
    expect(apply(abc, patch)).toEqual({
      items: [{ name: 'a', value: '1', other: '2' }, { name: 'b' }, { name: 'c' }],
    });
  });

  test('are refused where they merge a long list again and again', () => {
    expect(() => apply(withPorts(2_000), repeated(2_000))).toThrow(
      new PatchError('tooLarge', 'the patch merges the same items again and again'),
    );
  });

  test('say what they have merged so far', () => {
    const noted: number[] = [];
    applyStrategicMergePatch(withPorts(100), repeated(3), schema, (members) => noted.push(members));
    expect(noted.at(-1)).toBeGreaterThan(300);
    expect(noted).toEqual([...noted].sort((a, b) => a - b));
  });
});

test('a text that looks like an object, a number or a text in quotes is another merge key', () => {
  const numbers = ['1', 1, '"', '""', '"{}', true, 'true'];
  expect(apply({ numbers }, { numbers: [2] })).toEqual({ numbers: [2, ...numbers] });
  expect(apply({ items: [{ name: '"{}' }] }, { items: [{ name: {} }] })).toEqual({
    items: [{ name: {} }, { name: '"{}' }],
  });
});
