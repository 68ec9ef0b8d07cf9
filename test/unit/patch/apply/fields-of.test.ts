import fc from 'fast-check';
import type { JsonObject } from '../../../../src/base/json.ts';
import { fieldsOf } from '../../../../src/patch/apply/fields-of.ts';
import { decodeFieldsV1 } from '../../../../src/patch/apply/fields-v1.ts';
import { PatchError } from '../../../../src/patch/patch-error.ts';
import { field, listOf, mapOf, scalar, struct } from '../../../support/schema.ts';

const port = struct('Port', [
  field('port', scalar('integer')),
  field('protocol', scalar('string'), { defaultValue: 'TCP' }),
  field('name', scalar('string')),
]);
const schema = struct('Object', [
  field('text', scalar('string')),
  field('ports', listOf(port, { listType: 'map', listMapKeys: ['port', 'protocol'] })),
  field('set', listOf(scalar('string'), { listType: 'set' })),
  field('atomicList', listOf(port)),
  field('labels', mapOf(scalar('string'))),
  field('atomicMap', mapOf(scalar('string'), { mapType: 'atomic' })),
  field('inner', struct('Inner', [field('text', scalar('string'))])),
  field('atomicStruct', struct('Inner', [field('text', scalar('string'))], { mapType: 'atomic' })),
  field('free', { type: 'any', doc: '', name: '' }),
]);

test.each<[string, JsonObject, JsonObject]>([
  ['scalars', { text: 'a' }, { 'f:text': {} }],
  ['null', { text: null, labels: null }, { 'f:labels': {}, 'f:text': {} }],
  ['structs by what they hold', { inner: { text: 'a' } }, { 'f:inner': { 'f:text': {} } }],
  [
    'empty structs, maps and lists',
    { inner: {}, labels: {}, set: [] },
    { 'f:inner': {}, 'f:labels': {}, 'f:set': {} },
  ],
  ['maps by key', { labels: { a: 'x' } }, { 'f:labels': { 'f:a': {} } }],
  ['sets by value', { set: ['a', 'b'] }, { 'f:set': { 'v:"a"': {}, 'v:"b"': {} } }],
  [
    'keyed lists by key, defaults counted',
    { ports: [{ port: 80, name: 'x' }] },
    { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} } } },
  ],
  [
    'atomic values as one',
    { atomicList: [{ port: 1 }], atomicMap: { a: 'b' }, atomicStruct: { text: 'a' } },
    { 'f:atomicList': {}, 'f:atomicMap': {}, 'f:atomicStruct': {} },
  ],
  [
    'free values throughout, their lists as one',
    { free: { a: { b: [1] } } },
    { 'f:free': { 'f:a': { '.': {}, 'f:b': {} } } },
  ],
])('%s', (_name, object, expected) => {
  expect(JSON.stringify(fieldsOf(object, schema))).toBe(JSON.stringify(expected));
});

test.each<[string, JsonObject]>([
  ['the same key twice', { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] }],
  ['the same value twice', { set: ['a', 'a'] }],
  ['a keyed item that is no object', { ports: ['x'] }],
])('%s is refused', (_name, object) => {
  expect(() => fieldsOf(object, schema)).toThrow(PatchError);
});

test('prototype keys are data, and every path is of the object', () => {
  const keys = fc.constantFrom('a', '__proto__', 'constructor');
  fc.assert(
    fc.property(fc.dictionary(keys, fc.string(), { noNullPrototype: true }), (labels) => {
      const set = decodeFieldsV1(fieldsOf({ labels }, schema));
      const names = Object.keys(labels);
      expect(set.size).toBe(Math.max(1, names.length));
      expect(names.every((name) => set.has(['f:labels', `f:${name}`]))).toBe(true);
    }),
  );
});
