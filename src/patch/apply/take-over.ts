/** What a write takes from the other managers: fields that it set to something else, fields that are gone. */
import type { FieldSet } from './field-set.ts';
import type { ManagedEntry } from './managed-entry.ts';
import type { ManagedFields } from './managed-fields.ts';
import type { VersionedChange, Versions } from './versions.ts';
import { currentSet } from './versions.ts';

/** Fields of another manager that a write changes. */
export interface ConflictingFields {
  readonly entry: ManagedEntry;
  readonly fields: FieldSet;
}

/** Everything that other managers own and the write changes. */
export function conflictingFieldsOf(
  others: ManagedFields,
  change: VersionedChange,
  versions: Versions,
): ConflictingFields[] {
  const claims: ConflictingFields[] = [];
  for (const entry of others) {
    const changed = change.in(entry.parts.apiVersion)?.values;
    if (!changed || changed.isEmpty || !entry.touches(changed)) continue;
    const fields = currentSet(entry, versions).intersection(changed);
    if (!fields.isEmpty) claims.push({ entry, fields });
  }
  return claims;
}

/**
 * The other managers after the write. Managers that own nothing any more, or wrote in a removed version, are left out.
 */
export function takeOver(others: ManagedFields, change: VersionedChange, versions: Versions): ManagedFields {
  return others.flatMap((entry) => {
    const comparison = change.in(entry.parts.apiVersion);
    if (!comparison) return [];
    const { taken } = comparison;
    if (taken.isEmpty || !entry.touches(taken)) return [entry];
    const set = currentSet(entry, versions);
    const rest = set.difference(taken);
    if (rest.isEmpty) return [];
    return [rest.equals(entry.set) ? entry : entry.withSet(rest)];
  });
}
