/** A type that has every kind of value beside each other, so that anything may meet anything. */
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { setOwn } from '../../../src/base/json.ts';
import { field, listOf, mapOf, scalar, struct } from '../schema.ts';

/** How lists of items with two keys are known. */
export const keyed = { listType: 'map', listMapKeys: ['name', 'a'] } as const;

export const item = struct('Item', [
  field('name', scalar('string', 'int-or-string'), { defaultValue: 'x' }),
  field('a', scalar('string')),
  field('b', listOf(scalar('string'), { listType: 'set' })),
]);

export const odd = struct(
  'Odd',
  [
    field('a', listOf(item, keyed)),
    field('b', listOf(scalar('string', 'int-or-string'), { listType: 'set' })),
    field('name', mapOf(mapOf(scalar('string')))),
    field('text', mapOf(scalar('string'), { mapType: 'atomic' })),
    field('replicas', struct('Inner', [field('a', listOf(item)), field('b', item)])),
  ],
  { preserveUnknown: true },
);

const names = fc.constantFrom('a', 'b', 'name', 'text', 'replicas', '__proto__', 'constructor', '.');
export const { value: anything } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue[]>('x', 'y', 1, null, true, JSON.rawJSON('12345678901234567890')),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map(objectOf) as fc.Arbitrary<JsonValue>,
  ),
}));

function objectOf(members: readonly (readonly [string, JsonValue])[]): JsonObject {
  const object: JsonObject = {};
  for (const [name, value] of members) setOwn(object, name, value);
  return object;
}

/** Objects that have members of the type's names, and others, whether they fit or not. */
export const oddObjects = fc.array(fc.tuple(names, anything), { maxLength: 5 }).map(objectOf);
