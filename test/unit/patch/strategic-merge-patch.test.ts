import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { PatchError } from '../../../src/patch/patch-error.ts';
import { applyStrategicMergePatch } from '../../../src/patch/strategic-merge-patch.ts';
import type { PatchStrategy, Schema } from '../../../src/schema/types.ts';
import { deepFrozen } from '../../support/deep-frozen.ts';
import { field, listOf, mapOf, scalar, struct } from '../../support/schema.ts';

function merging(
  name: string,
  items: Schema,
  patchMergeKey = '',
  patchStrategies: PatchStrategy[] = ['merge'],
) {
  return field(name, listOf(items), { patchStrategies, patchMergeKey });
}

const port = struct('Port', [field('port', scalar('integer')), field('name', scalar('string'))]);
const item = struct('Item', [
  field('name', scalar('string')),
  field('value', scalar('string')),
  field('other', scalar('string')),
  merging('ports', port, 'port'),
  field('args', listOf(scalar('string'))),
]);
const strategy = struct('Strategy', [
  field('type', scalar('string')),
  field('rolling', struct('R', [field('x', scalar('integer'))])),
]);
const schema = struct('Object', [
  merging('items', item, 'name'),
  merging('finalizers', scalar('string')),
  merging('numbers', scalar('integer')),
  merging('keyless', item),
  field('plain', listOf(item)),
  field('labels', mapOf(scalar('string'))),
  field('strategy', strategy, { patchStrategies: ['retainKeys'] }),
  field('whole', strategy, { patchStrategies: ['replace'] }),
  field('text', scalar('string')),
  field('raw', { type: 'any', doc: '', name: 'runtime.RawExtension' }),
]);

function apply(document: JsonObject, patch: JsonValue): JsonObject {
  return applyStrategicMergePatch(deepFrozen(document), deepFrozen(patch), schema);
}

const abc = { items: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] };

test('what the patch does not touch is shared, and nothing of the patch is', () => {
  const document = { items: [{ name: 'a', ports: [{ port: 1 }] }, { name: 'b' }], labels: { x: '1' } };
  const patch = { items: [{ name: 'a', value: '2' }], whole: { type: 'x' } };
  const result = apply(document, patch) as typeof document & typeof patch;
  expect(result.labels).toBe(document.labels);
  expect(result.items[1]).toBe(document.items[1]);
  expect(result.items[0]?.ports).toBe(document.items[0]?.ports);
  expect(result.whole).not.toBe(patch.whole);
});

describe('objects and scalars', () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['a scalar is replaced', { text: 'a' }, { text: 'b' }, { text: 'b' }],
    [
      'null removes',
      { text: 'a', labels: { x: '1' } },
      { text: null, nothing: null, labels: { x: null } },
      { labels: {} },
    ],
    [
      'maps merge',
      { labels: { a: '1', b: '2' } },
      { labels: { b: '3', c: '4' } },
      { labels: { a: '1', b: '3', c: '4' } },
    ],
    ['a new map holds no nulls', {}, { labels: { a: '1', b: null } }, { labels: { a: '1' } }],
    ['another type replaces', { text: 'a' }, { text: { x: 1 } }, { text: { x: 1 } }],
    [
      '$patch: replace',
      { labels: { a: '1' } },
      { labels: { $patch: 'replace', b: '2' } },
      { labels: { b: '2' } },
    ],
    ['$patch: replace of the whole', { text: 'a' }, { $patch: 'replace', labels: {} }, { labels: {} }],
    ['$patch: delete', { labels: { a: '1' } }, { labels: { $patch: 'delete', b: '2' } }, { labels: {} }],
    [
      '$patch: merge',
      { labels: { a: '1' } },
      { labels: { $patch: 'merge', b: '2' } },
      { labels: { a: '1', b: '2' } },
    ],
    [
      'strategy replace',
      { whole: { type: 'a', rolling: { x: 1 } } },
      { whole: { type: 'b' } },
      { whole: { type: 'b' } },
    ],
    [
      'free values merge',
      { raw: { a: { b: 1 }, l: [1] } },
      { raw: { a: { c: 2 }, l: [2] } },
      { raw: { a: { b: 1, c: 2 }, l: [2] } },
    ],
    [
      '$retainKeys',
      { strategy: { type: 'a', rolling: { x: 1 } } },
      { strategy: { $retainKeys: ['type'], type: 'b' } },
      { strategy: { type: 'b' } },
    ],
    [
      '$retainKeys with null',
      { strategy: { type: 'a', rolling: { x: 1 } } },
      { strategy: { $retainKeys: ['type'], rolling: null, type: 'a' } },
      { strategy: { type: 'a' } },
    ],
    [
      '$retainKeys on nothing',
      {},
      { strategy: { $retainKeys: ['type'], type: 'b' } },
      { strategy: { type: 'b' } },
    ],
  ])('%s', (_name, document, patch, expected) => {
    expect(apply(document, patch)).toEqual(expected);
  });
});

describe('lists of objects', () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'merge by key',
      { items: [{ name: 'a', value: '1', other: 'o' }] },
      { items: [{ name: 'a', value: '2' }] },
      { items: [{ name: 'a', value: '2', other: 'o' }] },
    ],
    [
      'new items come first',
      abc,
      { items: [{ name: 'd' }] },
      { items: [{ name: 'd' }, { name: 'a' }, { name: 'b' }, { name: 'c' }] },
    ],
    [
      'items of the patch keep its order',
      abc,
      { items: [{ name: 'c' }, { name: 'a' }] },
      { items: [{ name: 'b' }, { name: 'c' }, { name: 'a' }] },
    ],
    [
      '$patch: delete of an item',
      abc,
      { items: [{ $patch: 'delete', name: 'b' }] },
      { items: [{ name: 'a' }, { name: 'c' }] },
    ],
    ['$patch: delete of nothing', abc, { items: [{ $patch: 'delete', name: 'z' }] }, abc],
    [
      'delete and add',
      abc,
      {
        items: [
          { $patch: 'delete', name: 'a' },
          { name: 'a', value: 'new' },
        ],
      },
      { items: [{ name: 'a', value: 'new' }, { name: 'b' }, { name: 'c' }] },
    ],
    [
      '$patch: replace of the list',
      abc,
      { items: [{ name: 'z' }, { $patch: 'replace' }] },
      { items: [{ name: 'z' }] },
    ],
    ['$patch: replace by nothing', abc, { items: [{ $patch: 'replace' }] }, { items: [] }],
    ['an empty patch list', abc, { items: [] }, abc],
    ['null removes the list', abc, { items: null }, {}],
    [
      'lists inside items',
      { items: [{ name: 'a', ports: [{ port: 1, name: 'x' }] }] },
      { items: [{ name: 'a', ports: [{ port: 2 }, { port: 1, name: 'y' }] }] },
      { items: [{ name: 'a', ports: [{ port: 2 }, { port: 1, name: 'y' }] }] },
    ],
    [
      'plain lists are replaced',
      { plain: [{ name: 'a' }] },
      { plain: [{ name: 'b' }] },
      { plain: [{ name: 'b' }] },
    ],
    [
      'plain lists inside items too',
      { items: [{ name: 'a', args: ['1', '2'] }] },
      { items: [{ name: 'a', args: ['3'] }] },
      { items: [{ name: 'a', args: ['3'] }] },
    ],
    [
      'a new list keeps no directives',
      {},
      {
        items: [
          { name: 'a', value: null },
          { $patch: 'delete', name: 'b' },
        ],
      },
      { items: [{ name: 'a' }] },
    ],
    [
      'a new list keeps items of the same key',
      { items: [{ name: 'a' }] },
      {
        items: [
          {
            name: 'a',
            ports: [
              { port: 1, name: 'x' },
              { port: 1, name: 'y' },
            ],
          },
        ],
      },
      {
        items: [
          {
            name: 'a',
            ports: [
              { port: 1, name: 'x' },
              { port: 1, name: 'y' },
            ],
          },
        ],
      },
    ],
    [
      'a null item field is removed',
      { items: [{ name: 'a', value: '1' }] },
      { items: [{ name: 'a', value: null }] },
      { items: [{ name: 'a' }] },
    ],
    [
      'an item is replaced as a whole',
      abc,
      { items: [{ $patch: 'delete', name: 'a' }] },
      { items: [{ name: 'b' }, { name: 'c' }] },
    ],
  ])('%s', (_name, document, patch, expected) => {
    expect(apply(document, patch)).toEqual(expected);
  });
});

describe('lists of scalars', () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['union', { finalizers: ['a', 'b'] }, { finalizers: ['b', 'c'] }, { finalizers: ['a', 'b', 'c'] }],
    ['duplicates go', { finalizers: ['a'] }, { finalizers: ['a', 'a'] }, { finalizers: ['a'] }],
    ['numbers', { numbers: [1, 2] }, { numbers: [3] }, { numbers: [3, 1, 2] }],
    [
      'delete',
      { finalizers: ['a', 'b', 'a'] },
      { '$deleteFromPrimitiveList/finalizers': ['a', 'z'] },
      { finalizers: ['b'] },
    ],
    ['delete from nothing', {}, { '$deleteFromPrimitiveList/finalizers': ['a'] }, {}],
    [
      'delete and add',
      { finalizers: ['a', 'b'] },
      { '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['c'] },
      { finalizers: ['c', 'b'] },
    ],
    [
      '1 is not "1"',
      { finalizers: ['1'] },
      { '$deleteFromPrimitiveList/finalizers': [1] },
      { finalizers: ['1'] },
    ],
  ])('%s', (_name, document, patch, expected) => {
    expect(apply(document, patch)).toEqual(expected);
  });
});

describe('$setElementOrder', () => {
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'orders what is there',
      abc,
      { '$setElementOrder/items': [{ name: 'c' }, { name: 'b' }, { name: 'a' }] },
      { items: [{ name: 'c' }, { name: 'b' }, { name: 'a' }] },
    ],
    [
      'orders with additions; unnamed items stay before what followed them',
      abc,
      { '$setElementOrder/items': [{ name: 'c' }, { name: 'd' }, { name: 'a' }], items: [{ name: 'd' }] },
      { items: [{ name: 'b' }, { name: 'c' }, { name: 'd' }, { name: 'a' }] },
    ],
    [
      'orders with deletions',
      abc,
      { '$setElementOrder/items': [{ name: 'c' }, { name: 'a' }], items: [{ $patch: 'delete', name: 'b' }] },
      { items: [{ name: 'c' }, { name: 'a' }] },
    ],
    [
      'scalars',
      { finalizers: ['a', 'b'] },
      { '$setElementOrder/finalizers': ['b', 'c', 'a'], finalizers: ['c'] },
      { finalizers: ['b', 'c', 'a'] },
    ],
    [
      'scalars with a parallel deletion',
      { finalizers: ['a', 'b', 'c'] },
      { '$setElementOrder/finalizers': ['c', 'b'], '$deleteFromPrimitiveList/finalizers': ['a'] },
      { finalizers: ['c', 'b'] },
    ],
    [
      'a new list',
      {},
      { '$setElementOrder/items': [{ name: 'a' }, { name: 'b' }], items: [{ name: 'a' }, { name: 'b' }] },
      { items: [{ name: 'a' }, { name: 'b' }] },
    ],
    ['no list at all', {}, { '$setElementOrder/items': [{ name: 'a' }] }, {}],
    [
      'inside an item',
      { items: [{ name: 'a', ports: [{ port: 1 }, { port: 2 }] }] },
      { items: [{ name: 'a', '$setElementOrder/ports': [{ port: 2 }, { port: 1 }] }] },
      { items: [{ name: 'a', ports: [{ port: 2 }, { port: 1 }] }] },
    ],
  ])('%s', (_name, document, patch, expected) => {
    expect(apply(document, patch)).toEqual(expected);
  });
});

describe('refusals', () => {
  test.each<[string, string, JsonObject, JsonValue]>([
    ['malformed', 'no object', {}, ['x']],
    ['malformed', 'an unknown directive', { labels: {} }, { labels: { $patch: 'spam' } }],
    ['malformed', 'an unknown directive in a list', abc, { items: [{ $patch: 'merge', name: 'a' }] }],
    ['malformed', 'a directive of the wrong type', { labels: {} }, { labels: { $patch: 1 } }],
    ['unprocessable', 'an item without its merge key', abc, { items: [{ value: 'x' }] }],
    [
      'unprocessable',
      'a live item without its merge key',
      { items: [{ value: 'x' }] },
      { items: [{ name: 'a' }] },
    ],
    ['unprocessable', 'a deletion without its merge key', abc, { items: [{ $patch: 'delete' }] }],
    ['unprocessable', 'objects and scalars mixed', abc, { items: ['x'] }],
    ['unprocessable', 'lists of lists', { finalizers: ['a'] }, { finalizers: [['b']] }],
    ['unprocessable', 'a list without merge key', { keyless: [{ name: 'a' }] }, { keyless: [{ name: 'b' }] }],
    ['malformed', '$retainKeys that is no list', {}, { strategy: { $retainKeys: 'type' } }],
    [
      'malformed',
      'a field that $retainKeys misses',
      {},
      { strategy: { $retainKeys: ['type'], rolling: {} } },
    ],
    ['malformed', 'a deletion list that is none', {}, { '$deleteFromPrimitiveList/finalizers': 'a' }],
    ['unprocessable', 'a deletion from a scalar', { text: 'a' }, { '$deleteFromPrimitiveList/text': ['a'] }],
    ['malformed', 'an order that is no list', abc, { '$setElementOrder/items': 'a' }],
    [
      'malformed',
      'an order that misses an item',
      abc,
      { '$setElementOrder/items': [{ name: 'a' }], items: [{ name: 'b' }] },
    ],
    [
      'malformed',
      'an order that contradicts the patch',
      abc,
      { '$setElementOrder/items': [{ name: 'a' }, { name: 'b' }], items: [{ name: 'b' }, { name: 'a' }] },
    ],
    ['malformed', 'an order of a scalar', { text: 'a' }, { '$setElementOrder/text': ['a'] }],
  ])('%s: %s', (kind, _name, document, patch) => {
    expect(() => apply(document, patch)).toThrow(PatchError);
    expect(() => apply(document, patch)).toThrow(expect.objectContaining({ kind }) as Error);
  });
});
