import fc from 'fast-check';

import type { JsonObject } from '../../../src/base/json.ts';
import { asApiObject } from '../../../src/meta/object.ts';
import { isUnchanged } from '../../../src/registry/write/unchanged.ts';

interface Written {
  readonly bytes: Buffer;
  readonly object: ReturnType<typeof asApiObject>;
}

function written(spec: unknown): Written {
  const object = { metadata: { name: 'a' }, spec } as JsonObject;
  return { bytes: Buffer.from(JSON.stringify(object)), object: asApiObject(object) };
}

/** As the write finds it: with the resourceVersion that is not stored. */
function stored(spec: unknown): Parameters<typeof isUnchanged>[1] {
  const { bytes, object } = written(spec);
  const metadata = { ...object.metadata, resourceVersion: '7' };
  return { entry: { bytes }, object: { ...object, metadata } };
}

test.each([
  ['the same bytes', { a: 1 }, { a: 1 }, true],
  ['another order', { a: 1, b: 2 }, { b: 2, a: 1 }, true],
  ['another order far apart', { a: 'x'.repeat(2000), b: [1, 2] }, { b: [1, 2], a: 'x'.repeat(2000) }, true],
  ['another order of a list', { a: [1, 2] }, { a: [2, 1] }, false],
  ['the values of two members exchanged', { a: 1, b: 2 }, { a: 2, b: 1 }, false],
  ['one byte', { a: 'x'.repeat(700), b: 1 }, { a: 'x'.repeat(700), b: 2 }, false],
  ['another length', { a: 1 }, { a: 10 }, false],
])('%s', (_what, a, b, isSame) => {
  expect(isUnchanged(written(b), stored(a))).toBe(isSame);
});

test('members in any order say the same', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.gen(), (object, gen) => {
      const entries = Object.entries(object);
      const order = gen(fc.shuffledSubarray, entries, { minLength: entries.length });
      expect(isUnchanged(written(Object.fromEntries(order)), stored(Object.fromEntries(entries)))).toBe(true);
    }),
  );
});

test('a byte that differs anywhere is seen', () => {
  fc.assert(
    fc.property(fc.nat(1499), (at) => {
      const data = 'x'.repeat(1500);
      const next = data.slice(0, at) + 'y' + data.slice(at + 1);
      expect(isUnchanged(written({ data: next }), stored({ data }))).toBe(false);
    }),
  );
});

test('an object of an older form is stored again', () => {
  const { entry, object } = stored({ a: 1 });
  expect(isUnchanged(written({ a: 1 }), { entry: { ...entry, isRecoded: true }, object })).toBe(false);
});
