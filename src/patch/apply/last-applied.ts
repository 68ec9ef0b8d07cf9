/**
 * What a client-side apply wrote, by the configuration that it kept in an annotation: a server-side apply by the same
 * client takes it over without a conflict.
 */
import type { JsonObject } from '../../base/json.ts';
import type { StructSchema } from '../../schema/types.ts';
import { compareObjects } from './compare.ts';
import type { FieldSet } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { decodeCanonicalFieldsV1 } from './fields-v1.ts';
import { stripServerFields } from './strip-server-fields.ts';
import type { ConflictingFields } from './take-over.ts';

/**
 * The fields of the last applied configuration that the object still has as they were applied; both have the form of
 * the schema.
 * @throws PatchError `unprocessable` when a list of the configuration names an item twice, or an item has no key
 */
export function unchangedSince(lastApplied: JsonObject, live: JsonObject, schema: StructSchema): FieldSet {
  const before = stripServerFields(lastApplied);
  const fields = decodeCanonicalFieldsV1(fieldsOf(before, schema));
  const { changed, removed } = compareObjects(before, stripServerFields(live), schema);
  return fields.difference(changed).difference(removed);
}

/** The conflicts without those fields. */
export function conflictsWithout(
  conflicts: readonly ConflictingFields[],
  allowed: FieldSet | undefined,
): readonly ConflictingFields[] {
  if (allowed === undefined) return conflicts;
  return conflicts
    .map(({ entry, fields }) => ({ entry, fields: fields.difference(allowed) }))
    .filter(({ fields }) => !fields.isEmpty);
}
