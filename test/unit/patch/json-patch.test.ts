import fc from 'fast-check';
import type { JsonValue } from '../../../src/base/json.ts';
import { deepCopy } from '../../../src/base/json.ts';
import { applyJsonPatch, parseJsonPatch } from '../../../src/patch/json-patch.ts';
import { patchLimits } from '../../../src/patch/patch-limits.ts';
import { PatchError } from '../../../src/patch/patch-error.ts';

function apply(document: unknown, patch: unknown): JsonValue {
  return applyJsonPatch(document as JsonValue, parseJsonPatch(patch as JsonValue));
}

function errorOf(document: unknown, patch: unknown): PatchError {
  try {
    apply(document, patch);
  } catch (error) {
    if (error instanceof PatchError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('examples of RFC 6902, appendix A', () => {
  test.each([
    [
      'A.1 add a member',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux' }],
      { baz: 'qux', foo: 'bar' },
    ],
    [
      'A.2 add a list item',
      { foo: ['bar', 'baz'] },
      [{ op: 'add', path: '/foo/1', value: 'qux' }],
      { foo: ['bar', 'qux', 'baz'] },
    ],
    ['A.3 remove a member', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [
      'A.4 remove a list item',
      { foo: ['bar', 'qux', 'baz'] },
      [{ op: 'remove', path: '/foo/1' }],
      { foo: ['bar', 'baz'] },
    ],
    [
      'A.5 replace',
      { baz: 'qux', foo: 'bar' },
      [{ op: 'replace', path: '/baz', value: 'boo' }],
      { baz: 'boo', foo: 'bar' },
    ],
    [
      'A.6 move',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      'A.7 move a list item',
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [
      'A.8 test',
      { baz: 'qux', foo: ['a', 2, 'c'] },
      [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      { baz: 'qux', foo: ['a', 2, 'c'] },
    ],
    [
      'A.10 add a nested object',
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { foo: 'bar', child: { grandchild: {} } },
    ],
    [
      'A.11 unknown members are ignored',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }],
      { foo: 'bar', baz: 'qux' },
    ],
    ['A.14 escapes', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
    [
      'A.16 add a list',
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
    [
      'copy',
      { a: { b: 1 } },
      [
        { op: 'copy', from: '/a', path: '/c' },
        { op: 'replace', path: '/c/b', value: 2 },
      ],
      { a: { b: 1 }, c: { b: 2 } },
    ],
    ['an empty patch', { a: 1 }, [], { a: 1 }],
    [
      'the whole document',
      { a: 1 },
      [
        { op: 'test', path: '', value: { a: 1 } },
        { op: 'replace', path: '', value: { b: 1 } },
      ],
      { b: 1 },
    ],
    ['move onto itself', { a: 1 }, [{ op: 'move', from: '/a', path: '/a' }], { a: 1 }],
    ['empty keys', { '': { '': 1 } }, [{ op: 'replace', path: '//', value: 2 }], { '': { '': 2 } }],
    [
      'null values are values',
      { a: null },
      [
        { op: 'test', path: '/a', value: null },
        { op: 'replace', path: '/a', value: 1 },
      ],
      { a: 1 },
    ],
    ['a missing member tests as null', { a: {} }, [{ op: 'test', path: '/a/b', value: null }], { a: {} }],
    ['a negative index counts from the end', { a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }], { a: [1] }],
    [
      'and leads to members',
      { a: [{ b: 1 }] },
      [{ op: 'replace', path: '/a/-1/b', value: 2 }],
      { a: [{ b: 2 }] },
    ],
    ['add with -1 appends', { a: [1] }, [{ op: 'add', path: '/a/-1', value: 2 }], { a: [1, 2] }],
    [
      'add with -2 goes before the last',
      { a: [1, 2] },
      [{ op: 'add', path: '/a/-2', value: 3 }],
      { a: [1, 3, 2] },
    ],
    ['add replaces an existing member', { a: 1 }, [{ op: 'add', path: '/a', value: null }], { a: null }],
  ])('%s', (_name, document, patch, expected) => {
    expect(apply(document, patch)).toEqual(expected);
  });

  test.each([
    ['A.9 a failing test', { baz: 'qux' }, [{ op: 'test', path: '/baz', value: 'bar' }]],
    ['A.12 add below nothing', { foo: 'bar' }, [{ op: 'add', path: '/baz/bat', value: 'qux' }]],
    ['A.15 numbers are not texts', { '~1': 10 }, [{ op: 'test', path: '/~01', value: '10' }]],
    ['remove nothing', {}, [{ op: 'remove', path: '/a' }]],
    ['replace nothing', {}, [{ op: 'replace', path: '/a', value: 1 }]],
    ['remove the document', {}, [{ op: 'remove', path: '' }]],
    ['copy from nothing', {}, [{ op: 'copy', from: '/a', path: '/b' }]],
    ['add beyond the end', { a: [] }, [{ op: 'add', path: '/a/1', value: 1 }]],
    ['a leading zero', { a: [1, 2] }, [{ op: 'remove', path: '/a/01' }]],
    ['a negative index before the first item', { a: [1] }, [{ op: 'remove', path: '/a/-2' }]],
    ['a negative zero', { a: [1] }, [{ op: 'remove', path: '/a/-0' }]],
    ['the end marker is no item', { a: [1] }, [{ op: 'remove', path: '/a/-' }]],
    ['length is no index', { a: [1] }, [{ op: 'test', path: '/a/length', value: 1 }]],
    ['a step into a scalar', { a: 1 }, [{ op: 'add', path: '/a/b', value: 1 }]],
    ['move into itself', { a: { b: 1 } }, [{ op: 'move', from: '/a', path: '/a/b' }]],
    ['inherited names', {}, [{ op: 'test', path: '/constructor/name', value: 'Object' }]],
    ['test of an item that is missing', { a: [] }, [{ op: 'test', path: '/a/0', value: null }]],
  ])('%s cannot be applied', (_name, document, patch) => {
    expect(errorOf(document, patch).kind).toBe('unprocessable');
  });
});

describe('form', () => {
  test.each([
    ['no list', {}],
    ['an operation that is no object', ['x']],
    ['no op', [{ path: '/a' }]],
    ['an unknown op', [{ op: 'spam', path: '/a' }]],
    ['no path', [{ op: 'remove' }]],
    ['a path that is no text', [{ op: 'remove', path: 1 }]],
    ['a path without a slash', [{ op: 'remove', path: 'a' }]],
    ['a bad escape', [{ op: 'remove', path: '/~2' }]],
    ['no value', [{ op: 'add', path: '/a' }]],
    ['no from', [{ op: 'move', path: '/a' }]],
    ['op from the prototype', [{ path: '/a', __proto__: { op: 'remove' } }]],
  ])('%s', (_name, patch) => {
    expect(errorOf({ a: 1 }, patch).kind).toBe('malformed');
  });
});

describe('limits', () => {
  const { operations, steps } = patchLimits;

  test('operations', () => {
    const many = (count: number): unknown =>
      Array.from({ length: count }, () => ({ op: 'test', path: '', value: {} }));
    expect(apply({}, many(operations))).toEqual({});
    expect(errorOf({}, many(operations + 1)).kind).toBe('tooLarge');
  });

  test('steps of all paths together', () => {
    const deep = (count: number): unknown =>
      Array.from({ length: count }, () => ({ op: 'test', path: '/a'.repeat(500), value: null }));
    const document = JSON.parse('{"a":'.repeat(500) + 'null' + '}'.repeat(500)) as JsonValue;
    expect(apply(document, deep(steps / 500))).toEqual(document);
    expect(errorOf(document, deep(steps / 500 + 1)).kind).toBe('tooLarge');
    const moves = [{ op: 'move', from: '/a'.repeat(steps), path: '/b' }];
    expect(errorOf(document, moves).kind).toBe('tooLarge');
  });

  test('copies that double', () => {
    const doubling = Array.from({ length: 60 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
    expect(errorOf({ a: ['x'.repeat(100)] }, doubling).kind).toBe('tooLarge');
  });

  test('copies of many small values', () => {
    const copies = Array.from({ length: 3_000 }, () => ({ op: 'copy', from: '/a', path: '/b' }));
    expect(errorOf({ a: Array.from({ length: 1_000 }, () => ({})) }, copies).kind).toBe('tooLarge');
  });

  test('depth by copies and by additions', () => {
    const nest = Array.from({ length: 1_100 }, () => ({ op: 'copy', from: '', path: '/a' }));
    expect(errorOf({}, nest).kind).toBe('tooLarge');
    const piece = JSON.parse('{"a":'.repeat(900) + '{}' + '}'.repeat(900)) as JsonValue;
    const path = '/a'.repeat(900);
    const add = [
      { op: 'add', path, value: piece },
      { op: 'add', path: path + path, value: piece },
    ];
    expect(errorOf(piece, add).kind).toBe('tooLarge');
  });

  test('shifting a long list again and again', () => {
    const shift = Array.from({ length: operations }, () => ({ op: 'add', path: '/a/0', value: 1 }));
    expect(errorOf({ a: Array.from({ length: 100_000 }, () => 1) }, shift).kind).toBe('tooLarge');
  });
});

describe('properties', () => {
  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
  const objects = fc.dictionary(fc.string(), json, { noNullPrototype: true });
  const escape = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

  test('removing what was added gives the document back', () => {
    fc.assert(
      fc.property(objects, fc.string(), json, (document, key, value) => {
        fc.pre(!Object.hasOwn(document, key));
        const path = `/${escape(key)}`;
        expect(
          apply(document, [
            { op: 'add', path, value },
            { op: 'remove', path },
          ]),
        ).toEqual(document);
      }),
    );
  });

  test('moving there and back changes nothing, and inputs stay as they were', () => {
    fc.assert(
      fc.property(objects, json, (document, value) => {
        const source: JsonValue = { doc: document, item: value, list: [1, 2] };
        const before = deepCopy(source);
        const patch = [
          { op: 'move', from: '/item', path: '/list/1' },
          { op: 'move', from: '/list/1', path: '/item' },
          { op: 'test', path: '', value: before },
        ];
        expect(apply(source, patch)).toEqual(before);
        expect(source).toEqual(before);
      }),
    );
  });

  test('prototype keys are data', () => {
    const patch = JSON.parse(
      '[{"op":"add","path":"/__proto__","value":{"polluted":1}},{"op":"add","path":"/__proto__/more","value":2},' +
        '{"op":"copy","from":"/__proto__","path":"/constructor"}]',
    ) as JsonValue;
    expect(JSON.stringify(apply({}, patch))).toBe(
      '{"__proto__":{"polluted":1,"more":2},"constructor":{"polluted":1,"more":2}}',
    );
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(errorOf({}, [{ op: 'add', path: '/__proto__/polluted', value: 1 }]).kind).toBe('unprocessable');
  });
});
