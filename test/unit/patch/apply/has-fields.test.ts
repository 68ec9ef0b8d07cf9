/** Whether an object has exactly the fields of a stored set is told as comparing with the object's own set tells it. */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../../src/base/json.ts';
import { deepCopy, deepEqual, isObject, setOwn } from '../../../../src/base/json.ts';
import { Configuration } from '../../../../src/patch/apply/applied-configuration.ts';
import { fieldsOf } from '../../../../src/patch/apply/fields-of.ts';
import { hasFields } from '../../../../src/patch/apply/has-fields.ts';
import { elementOf, haveSameElement } from '../../../../src/patch/apply/item-element.ts';
import { ManagedEntry } from '../../../../src/patch/apply/managed-entry.ts';
import { PatchError } from '../../../../src/patch/patch-error.ts';
import { namingProfiles } from '../../../../src/meta/naming.ts';
import type { ListSchema, StructSchema } from '../../../../src/schema/types.ts';
import { arbitraryObject } from '../../../support/arbitrary-object.ts';
import { anything, item, keyed, odd, oddObjects } from '../../../support/apply/odd-schema.ts';
import { thing } from '../../../support/apply/world.ts';
import { realCatalogue } from '../../../support/catalogue.ts';
import { listOf, scalar } from '../../../support/schema.ts';

function fieldsIn(object: JsonObject, schema: StructSchema): JsonObject | undefined {
  try {
    return fieldsOf(object, schema);
  } catch (error) {
    if (error instanceof PatchError) return undefined;
    throw error;
  }
}

/** The answer, which must be right where it is yes. */
function answer(object: JsonObject, schema: StructSchema, stored: JsonObject): boolean {
  const found = hasFields(object, schema, stored);
  const own = fieldsIn(object, schema);
  if (found) expect([own, own && deepEqual(stored, own)]).toEqual([own, true]);
  return found;
}

/** As it comes back from storage, steps in another order where that is asked for. */
function stored(fields: JsonObject, isTurned: boolean): JsonObject {
  if (!isTurned) return JSON.parse(JSON.stringify(fields)) as JsonObject;
  const turned: JsonObject = {};
  for (const [step, node] of Object.entries(fields).reverse()) {
    setOwn(turned, step, isObject(node) ? stored(node, true) : (node ?? null));
  }
  return turned;
}

/** Nodes of a set, the root first. */
function nodesOf(fields: JsonObject): JsonObject[] {
  return [fields, ...Object.values(fields).flatMap((node) => (isObject(node) ? nodesOf(node) : []))];
}

const strangeNodes: JsonValue[] = [
  {},
  { '.': {} },
  { 'f:a': {} },
  [],
  ['x'],
  null,
  'x',
  1,
  JSON.rawJSON('1'),
];
const strangeSteps = ['.', 'f:a', 'f:name', 'f:__proto__', '__proto__', 'k:{"name":"x"}', 'v:"x"', 'i:0'];

interface Change {
  readonly node: number;
  readonly step: number;
  readonly to: JsonValue | undefined;
  readonly name: string;
}

const changes: fc.Arbitrary<Change> = fc.record({
  node: fc.nat(1000),
  step: fc.nat(1000),
  to: fc.constantFrom<(JsonValue | undefined)[]>(undefined, ...strangeNodes),
  name: fc.constantFrom('', ...strangeSteps),
});

/** The set with one node taken away, replaced or added. */
function changed(fields: JsonObject, { node, step, to, name }: Change): JsonObject {
  const copy = deepCopy(fields);
  const nodes = nodesOf(copy);
  const target = nodes[node % nodes.length] ?? copy;
  const steps = Object.keys(target);
  const at = name === '' ? (steps[step % Math.max(steps.length, 1)] ?? 'f:a') : name;
  if (to === undefined) Reflect.deleteProperty(target, at);
  else setOwn(target, at, to);
  return copy;
}

const { schemas } = realCatalogue(namingProfiles.orch);

test.each(['core/v1.Pod', 'core/v1.Service', 'apps/v1.Deployment', 'rbac/v1.ClusterRole'])(
  'of any %s with its own set, or one that is a little different',
  (name) => {
    const schema = schemas.get(name);
    let found = 0;
    fc.assert(
      fc.property(arbitraryObject(schema, 4), fc.boolean(), changes, (object, isTurned, change) => {
        const own = fieldsIn(object, schema);
        if (own === undefined) {
          expect(hasFields(object, schema, {})).toBe(false);
          return;
        }
        const kept = stored(own, isTurned);
        if (answer(object, schema, kept)) found += 1;
        answer(object, schema, changed(kept, change));
      }),
      { numRuns: 80 },
    );
    expect(found).toBeGreaterThan(3);
  },
);

test.each<[string, StructSchema]>([
  ['odd', odd],
  ['granular', { ...odd, granularUnknown: true }],
  ['thing', thing],
])('whatever the objects are (%s)', (_name, schema) => {
  const found = { own: 0, changed: 0 };
  fc.assert(
    fc.property(oddObjects, oddObjects, fc.boolean(), changes, (object, other, isTurned, change) => {
      const [own, others] = [fieldsIn(object, schema), fieldsIn(other, schema)];
      if (others) answer(object, schema, others);
      if (!own) return;
      const kept = stored(own, isTurned);
      if (answer(object, schema, kept)) found.own += 1;
      if (answer(object, schema, changed(kept, change))) found.changed += 1;
    }),
    { numRuns: 3_000 },
  );
  expect(found.own).toBeGreaterThan(500);
  expect(found.changed).toBeGreaterThan(20);
});

test.each<[string, JsonObject, JsonObject, boolean]>([
  ['an item that leaves out a key with a default', { a: [{}, { a: 'y' }] }, {}, false],
  ['two items with one key', { a: [{ name: 'x' }, {}] }, { 'f:a': { 'k:{"name":"x"}': {} } }, false],
  ['nothing at all', {}, {}, false],
  ['an empty list', { a: [] }, { 'f:a': {} }, true],
  ['an empty list that is written as one', { a: [] }, { 'f:a': [] }, false],
  ['a value where only its parts are owned', { text: { a: 'x' } }, { 'f:text': { 'f:a': {} } }, false],
])('%s', (_name, object, fields, expected) => {
  expect(answer(object, odd, fields)).toBe(expected);
});

test.each<[string, ListSchema]>([
  ['keyed', listOf(item, keyed)],
  ['set', listOf(scalar('string'), { listType: 'set' })],
])('items have the same step where its text is the same (%s)', (_name, schema) => {
  let same = 0;
  fc.assert(
    fc.property(anything, anything, fc.boolean(), (a, other, isCopy) => {
      const b = isCopy ? deepCopy(a) : other;
      const element = elementOf(a, schema);
      const expected = element !== undefined && element === elementOf(b, schema);
      expect(haveSameElement(a, b, schema)).toBe(expected);
      if (expected) same += 1;
    }),
    { numRuns: 2_000 },
  );
  expect(same).toBeGreaterThan(100);
});

test('an applied configuration is told by either way', () => {
  const object = { metadata: { name: 'n', labels: { a: 'x' } }, containers: [{ name: 'c', image: 'i' }] };
  const fields = new Configuration(object, thing).fields;
  const entry = (fieldsV1: JsonObject): ManagedEntry => ManagedEntry.read({ manager: 'm', fieldsV1 });
  const known = new Configuration(object, thing);
  expect(known.fields).toEqual(fields);
  for (const configuration of [known, new Configuration(object, thing)]) {
    expect(configuration.isSetOf(entry(deepCopy(fields)))).toBe(true);
    expect(configuration.isSetOf(entry({ ...fields, 'f:text': {} }))).toBe(false);
  }
  const hollow = new Configuration({ rows: undefined, atomicStruct: { a: 'x' } }, thing);
  expect(hollow.isSetOf(entry({ 'f:atomicStruct': {} }))).toBe(true);
  const twice = new Configuration({ containers: [{ name: 'c' }, { name: 'c' }] }, thing);
  expect(() => twice.isSetOf(entry({ 'f:containers': { 'k:{"name":"c"}': {} } }))).toThrow(PatchError);
});
