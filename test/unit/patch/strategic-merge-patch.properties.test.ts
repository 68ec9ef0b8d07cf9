import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { deepCopy } from '../../../src/base/json.ts';
import { applyMergePatch } from '../../../src/patch/merge-patch.ts';
import { applyStrategicMergePatch } from '../../../src/patch/strategic-merge-patch.ts';
import type { Schema } from '../../../src/schema/types.ts';
import { deepFrozen } from '../../support/deep-frozen.ts';
import { field, listOf, mapOf, scalar, struct } from '../../support/schema.ts';

const item = struct('Item', [field('name', scalar('string')), field('value', scalar('string'))]);
const schema = struct('Object', [
  field('items', listOf(item), { patchStrategies: ['merge'], patchMergeKey: 'name' }),
  field('finalizers', listOf(scalar('string')), { patchStrategies: ['merge'] }),
  field('labels', mapOf(scalar('string'))),
]);

function apply(document: JsonObject, patch: JsonValue): JsonObject {
  return applyStrategicMergePatch(deepFrozen(document), deepFrozen(patch), schema);
}

describe('properties', () => {
  const names = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const items = fc.uniqueArray(fc.record({ name: names, value: fc.string() }), {
    selector: (entry) => entry.name,
  });
  const objects = fc.record({
    items,
    finalizers: fc.uniqueArray(names),
    labels: fc.dictionary(names, fc.string(), { noNullPrototype: true }),
  });

  test('applying twice is applying once, and inputs stay as they were', () => {
    fc.assert(
      fc.property(objects, objects, (document, patch) => {
        const before = deepCopy([document, patch]);
        const once = apply(document, patch);
        expect(apply(once, patch)).toEqual(once);
        expect([document, patch]).toEqual(before);
      }),
    );
  });

  test('every key of both lists is in the result once, with the value of the patch', () => {
    fc.assert(
      fc.property(objects, objects, (document, patch) => {
        const result = apply(document, patch).items as typeof document.items;
        const expected = new Map(
          [...document.items, ...patch.items].map((entry) => [entry.name, entry.value]),
        );
        expect(new Map(result.map((entry) => [entry.name, entry.value]))).toEqual(expected);
        expect(result).toHaveLength(expected.size);
      }),
    );
  });

  test('where no field has a strategy it is a merge patch', () => {
    const keys = fc.constantFrom('a', 'b', '__proto__', 'constructor');
    const anyJson = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
    const noNulls = anyJson.filter((value) => !JSON.stringify(value).includes('null'));
    const free: Schema = { type: 'any', doc: '', name: '' };
    // Inside lists the two differ: a merge patch keeps nulls there.
    const json = fc.dictionary(keys, noNulls, { noNullPrototype: true });
    fc.assert(
      fc.property(json, json, (document, patch) => {
        expect(applyStrategicMergePatch(document, patch, free)).toEqual(applyMergePatch(document, patch));
      }),
    );
  });

  test('long lists merge in good time', () => {
    const many = Array.from({ length: 50_000 }, (_, i) => ({ name: String(i) }));
    const patch = { items: [...many].reverse() };
    expect(apply({ items: many }, patch).items).toHaveLength(50_000);
  });
});
