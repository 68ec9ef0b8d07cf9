/** What a write changed, where that lies deep. */
import type { JsonObject } from '../../../../src/base/json.ts';
import { compareObjects } from '../../../../src/patch/apply/compare.ts';
import { FieldSetBuilder } from '../../../../src/patch/apply/field-set.ts';
import { objectSchema } from '../../../../src/schema/structural/to-schema.ts';
import { readStructural } from '../../../../src/schema/structural/types.ts';
import type { Schema } from '../../../../src/schema/types.ts';

const free: Schema = { type: 'any', name: 'free', doc: '' };
const levels = 400;
const leaves = 200;

function below(inner: JsonObject): JsonObject {
  return Array.from({ length: levels }).reduce<JsonObject>((value) => ({ a: value }), inner);
}

function leavesOf(value: number, isNested = false): JsonObject {
  const names = Array.from({ length: leaves }, (_, i) => `k${String(i)}`);
  return Object.fromEntries(names.map((name) => [name, isNested ? { b: value } : value]));
}

afterEach(() => {
  jest.restoreAllMocks();
});

/** A difference in each of 5,000 members below 900 levels took 45 ms to be noted, each from the root on. */
test.each<[string, JsonObject, JsonObject, 'added' | 'modified' | 'removed']>([
  ['modified', leavesOf(1), leavesOf(2), 'modified'],
  ['modified, in objects of their own', leavesOf(1, true), leavesOf(2, true), 'modified'],
  ['removed', leavesOf(1), {}, 'removed'],
  ['added', {}, leavesOf(1), 'added'],
])('members that are %s are noted without going down to each', (_what, before, after, kind) => {
  const child = jest.spyOn(FieldSetBuilder.prototype, 'child');
  const comparison = compareObjects(below(before), below(after), free);
  expect(child.mock.calls.length).toBeLessThan(levels + 2 * leaves);
  expect(comparison[kind].size).toBe(leaves);
  const others = (['added', 'modified', 'removed'] as const).filter((other) => other !== kind);
  expect(others.map((other) => comparison[other].size)).toEqual([0, 0]);
});

test('differences on all levels are each at their place', () => {
  const before = { a: { x: 1, b: { y: 1, c: { z: 1 } }, w: 1 }, v: 1 };
  const after = { a: { x: 2, b: { y: 1, c: { z: 2, n: 1 } }, w: 2 }, v: 2 };
  const { modified, added, removed } = compareObjects(before, after, free);
  expect([...modified.paths()].map((path) => path.join('/'))).toEqual([
    ...['f:a/f:b/f:c/f:z', 'f:a/f:w', 'f:a/f:x', 'f:v'],
  ]);
  expect([...added.paths()].map((path) => path.join('/'))).toEqual(['f:a/f:b/f:c/f:n']);
  expect(removed.isEmpty).toBe(true);
});

/** 42 KB below 240 lists took 134 ms: each list was compared as a whole before its items were. */
test('what is in lists below each other is read once or twice, not on each level', () => {
  const prefix = 'x-orch-';
  const listOf = (items: JsonObject): JsonObject => ({
    ...{ type: 'array', [`${prefix}list-type`]: 'map', [`${prefix}list-map-keys`]: ['k'], items },
  });
  const struct = (members: JsonObject): JsonObject => ({
    ...{ type: 'object', required: ['k'], properties: { k: { type: 'string' }, ...members } },
  });
  const nested = <T>(inner: T, around: (value: T) => T): T =>
    Array.from({ length: 100 }).reduce<T>((value) => around(value), inner);
  const lowest = struct({ x: { type: 'integer' }, y: { type: 'integer' } });
  const definition = nested(lowest, (inner) => struct({ list: listOf(inner) }));
  const schema = objectSchema(readStructural(definition, prefix), free, false);
  let reads = 0;
  const counted = {
    k: 'a',
    get x() {
      reads += 1;
      return 1;
    },
    y: 1,
  };
  const around = (inner: JsonObject): JsonObject => ({ k: 'a', list: [inner] });
  const comparison = compareObjects(
    nested<JsonObject>(counted, around),
    nested<JsonObject>({ k: 'a', x: 1, y: 2 }, around),
    schema,
  );
  expect(comparison.modified.size).toBe(1);
  expect(reads).toBeLessThan(6);
});

test('a list in a list that differs, whose items have no keys, differs only where it does', () => {
  const prefix = 'x-orch-';
  const keyed = { [`${prefix}list-type`]: 'map', [`${prefix}list-map-keys`]: ['k'] };
  const inner = { type: 'array', ...keyed, items: { type: 'object', properties: { k: { type: 'string' } } } };
  const items = { type: 'object', properties: { k: { type: 'string' }, x: { type: 'integer' }, inner } };
  const definition = { type: 'object', properties: { list: { type: 'array', ...keyed, items } } };
  const schema = objectSchema(readStructural(definition, prefix), free, false);
  const of = (x: number, y: number): JsonObject => ({ list: [{ k: 'a', x, inner: [{ y }] }] });
  const modified = (before: JsonObject, after: JsonObject): string[] =>
    [...compareObjects(before, after, schema).modified.paths()].map((path) => path.join('/'));
  expect(modified(of(1, 1), of(2, 1))).toEqual(['f:list/k:{"k":"a"}/f:x']);
  expect(modified(of(1, 1), of(1, 2))).toEqual(['f:list/k:{"k":"a"}/f:inner']);
});
