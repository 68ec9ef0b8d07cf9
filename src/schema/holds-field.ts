/** What a pass over objects may leave out: types below which nothing concerns it. */
import type { Field, Schema } from './types.ts';

/**
 * True when a struct at or below the schema has a field that is wanted, which none is that custom resources describe. Types
 * may hold themselves: `seen` ends cycles.
 */
export function holdsField(
  schema: Schema,
  isWanted: (field: Field) => boolean,
  seen = new Set<Schema>(),
): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (schema.type === 'list') return holdsField(schema.items, isWanted, seen);
  if (schema.type === 'map') return holdsField(schema.values, isWanted, seen);
  if (schema.type !== 'struct' || schema.isPlain === true) return false;
  return [...schema.fields.values()].some(
    (field) => isWanted(field) || holdsField(field.schema, isWanted, seen),
  );
}
