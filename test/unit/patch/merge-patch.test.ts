import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { deepCopy } from '../../../src/base/json.ts';
import { applyMergePatch } from '../../../src/patch/merge-patch.ts';
import { PatchError } from '../../../src/patch/patch-error.ts';

describe('examples of RFC 7396, appendix A', () => {
  test.each<[JsonObject, JsonObject, JsonObject]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 'x' }, { a: { b: null, c: [null] } }, { a: { c: [null] } }],
  ])('%j patched by %j is %j', (document, patch, expected) => {
    expect(applyMergePatch(document, patch)).toEqual(expected);
  });

  test.each<[JsonValue]>([[['c']], [null], ['bar'], [JSON.rawJSON('12345678901234567890')]])(
    'a patch %j is refused',
    (patch) => {
      expect(() => applyMergePatch({}, patch)).toThrow(PatchError);
    },
  );
});

describe('properties', () => {
  const objects = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', '__proto__'),
    fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>,
    {
      noNullPrototype: true,
    },
  );

  test('applying twice is applying once, and inputs stay as they were', () => {
    fc.assert(
      fc.property(objects, objects, (document, patch) => {
        const before = [deepCopy(document), deepCopy(patch)];
        const once = applyMergePatch(document, patch);
        expect(applyMergePatch(once, patch)).toEqual(once);
        expect([document, patch]).toEqual(before);
      }),
    );
  });

  test('prototype keys are data', () => {
    const patch = JSON.parse(
      '{"__proto__":{"polluted":1,"x":null},"constructor":{"prototype":{"p":1}}}',
    ) as JsonObject;
    const result = applyMergePatch({}, patch);
    expect(JSON.stringify(result)).toBe('{"__proto__":{"polluted":1},"constructor":{"prototype":{"p":1}}}');
    expect(JSON.stringify(applyMergePatch(result, JSON.parse('{"__proto__":null}') as JsonObject))).toBe(
      '{"constructor":{"prototype":{"p":1}}}',
    );
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
