import fc from 'fast-check';
import type { JsonValue } from '../../../../src/base/json.ts';
import type { FieldSet } from '../../../../src/patch/apply/field-set.ts';
import { emptyFieldSet, fieldSetOf } from '../../../../src/patch/apply/field-set.ts';
import { decodeFieldsV1, encodeFieldsV1 } from '../../../../src/patch/apply/fields-v1.ts';
import {
  canonicalElement,
  fieldElement,
  keyElement,
  parseElement,
  showElement,
  valueElement,
} from '../../../../src/patch/apply/path-element.ts';
import { PatchError } from '../../../../src/patch/patch-error.ts';

const elements = fc.oneof(
  fc.constantFrom('a', 'b', '__proto__', '.', 'f:x', '').map(fieldElement),
  fc.constantFrom({ name: 'a' }, { port: 80, name: 'b' }).map(keyElement),
  fc.constantFrom<JsonValue>('x', 1, true, null).map(valueElement),
  fc.constantFrom('i:0', 'i:12'),
);
const paths = fc.array(elements, { minLength: 1, maxLength: 4 });
const pathLists = fc.array(paths, { maxLength: 12 });
const sets = pathLists.map(fieldSetOf);

/** The model: a set of texts. */
function model(set: FieldSet): Set<string> {
  return new Set([...set.paths()].map((path) => JSON.stringify(path)));
}

describe('algebra against plain sets', () => {
  test('a set holds its paths, each once', () => {
    fc.assert(
      fc.property(pathLists, (list) => {
        const set = fieldSetOf(list);
        const expected = new Set(list.map((path) => JSON.stringify(path)));
        expect(model(set)).toEqual(expected);
        expect(set.size).toBe(expected.size);
        expect(list.every((path) => set.has(path) && set.touches(path))).toBe(true);
        expect(set.isEmpty).toBe(expected.size === 0);
      }),
    );
  });

  test('union, intersection, difference', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        expect(model(a.union(b))).toEqual(model(a).union(model(b)));
        expect(model(a.intersection(b))).toEqual(model(a).intersection(model(b)));
        expect(model(a.difference(b))).toEqual(model(a).difference(model(b)));
      }),
    );
  });

  test('laws', () => {
    fc.assert(
      fc.property(sets, sets, sets, (a, b, c) => {
        expect(a.union(b).equals(b.union(a))).toBe(true);
        expect(a.union(b.union(c)).equals(a.union(b).union(c))).toBe(true);
        expect(a.intersection(b).equals(b.intersection(a))).toBe(true);
        expect(a.difference(b).union(a.intersection(b)).equals(a)).toBe(true);
        expect(a.difference(a).isEmpty && a.union(emptyFieldSet).equals(a)).toBe(true);
        expect(a.equals(b)).toBe(a.difference(b).isEmpty && b.difference(a).isEmpty);
      }),
    );
  });

  test('the recursive difference also takes what is below the other set’s members', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const gone = [...b.paths()];
        const isBelow = (path: readonly string[]): boolean =>
          gone.some((other) => other.every((element, index) => path[index] === element));
        const expected = [...a.paths()].filter((path) => !isBelow(path));
        expect(a.recursiveDifference(b).equals(fieldSetOf(expected))).toBe(true);
      }),
    );
  });

  test('leaves are members with nothing below', () => {
    fc.assert(
      fc.property(sets, (a) => {
        const expected = [...a.paths()].filter((path) => a.below(path).isEmpty);
        expect(a.leaves().equals(fieldSetOf(expected))).toBe(true);
      }),
    );
  });
});

describe('fieldsV1', () => {
  test('what is written is read back', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const text = JSON.stringify(encodeFieldsV1(set));
        expect(decodeFieldsV1(JSON.parse(text) as JsonValue).equals(set)).toBe(true);
      }),
    );
  });

  test('members with more below them carry a dot; keys are in order', () => {
    const container = keyElement({ protocol: 'TCP', containerPort: 80 });
    const set = fieldSetOf([
      ['f:spec', 'f:ports', container, 'f:name'],
      ['f:spec', 'f:ports', container],
      ['f:metadata', 'f:finalizers', valueElement('x')],
      ['f:metadata', 'f:labels', 'f:app'],
    ]);
    expect(JSON.stringify(encodeFieldsV1(set))).toBe(
      '{"f:metadata":{"f:finalizers":{"v:\\"x\\"":{}},"f:labels":{"f:app":{}}},' +
        '"f:spec":{"f:ports":{"k:{\\"containerPort\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:name":{}}}}}',
    );
  });

  test('keys in another order are the same step', () => {
    const set = decodeFieldsV1({ 'k:{"b":1, "a":"x"}': {} });
    expect(set.has([keyElement({ a: 'x', b: 1 })])).toBe(true);
  });

  test.each<[JsonValue]>([
    [[]],
    [{ x: {} }],
    [{ 'f:a': 1 }],
    [{ 'k:x': {} }],
    [{ 'k:[]': {} }],
    [{ 'v:': {} }],
    [{ 'i:-1': {} }],
  ])('%j is refused', (fields) => {
    expect(() => decodeFieldsV1(fields)).toThrow(PatchError);
  });
});

describe('steps', () => {
  test.each([
    ['f:a', '.a'],
    ['k:{"name":"a","port":80}', '[name="a",port=80]'],
    ['v:"x"', '[="x"]'],
    ['i:3', '[3]'],
    ['nonsense', 'nonsense'],
  ])('%s is shown as %s', (element, shown) => {
    expect(showElement(element)).toBe(shown);
  });

  test('64-bit values stay exact', () => {
    const text = 'v:9007199254740993';
    expect(canonicalElement(text)).toBe(text);
    expect(parseElement('v:1.5')).toEqual({ kind: 'value', value: 1.5 });
  });
});

test('of paths with a common beginning each step is put into another form once', () => {
  const steps = Array.from({ length: 300 }, () => 'f:a');
  const set = fieldSetOf(
    Array.from({ length: 100 }, (_, i) => [...steps, `f:k${String(i).padStart(2, '0')}`]),
  );
  let made = 0;
  const found = [...set.pathsBy((element) => ({ element, number: (made += 1) }))];
  expect(found.map((path) => path.map(({ element }) => element))).toEqual([...set.paths()]);
  expect(found.map((path) => path.length)).toEqual(Array.from({ length: 100 }, () => 301));
  expect(made).toBe(400);
});
