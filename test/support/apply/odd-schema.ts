/** A type that has every kind of value beside each other, so that anything may meet anything. */
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
