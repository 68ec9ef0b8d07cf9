/** `metadata.managedFields` as a list of entries: reading, ordering, resetting. */
import { byCodeUnits } from '../../base/by-code-units.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import { PatchError } from '../patch-error.ts';
import type { EntryParts } from './managed-entry.ts';
import { ManagedEntry } from './managed-entry.ts';

export type ManagedFields = readonly ManagedEntry[];

/** The entries that an object carries, as this server wrote them. */
export function storedManagedFields(object: JsonObject): ManagedFields {
  return listOf(object).map((entry) => ManagedEntry.read(entry));
}

/**
 * The entries that a client sent, put into canonical form and order.
 * @throws PatchError `malformed` when a field set cannot be read
 */
export function sentManagedFields(object: JsonObject): ManagedFields {
  const entries = listOf(object).map((json) => ManagedEntry.readSent(json));
  return inOrder(entries.filter((entry) => !entry.set.isEmpty));
}

/** One entry that says nothing: the writer wants ownership forgotten. */
export function isReset(object: JsonObject): boolean {
  const [entry, ...others] = listOf(object);
  return entry !== undefined && others.length === 0 && Object.values(entry).every(isBlank);
}

/** What is written to the object; undefined when there are no managers. */
export function encodeManagedFields(entries: ManagedFields): JsonObject[] | undefined {
  return entries.length === 0 ? undefined : entries.map((entry) => entry.toJson());
}

/** Appliers first, then by time; by name where times are equal. */
export function inOrder(entries: ManagedFields): ManagedFields {
  return entries.toSorted((a, b) => compareParts(a.parts, b.parts));
}

/** Oldest first. */
export function compareAge(a: ManagedEntry, b: ManagedEntry): number {
  return byCodeUnits(a.parts.time, b.parts.time) || compareParts(a.parts, b.parts);
}

function compareParts(a: EntryParts, b: EntryParts): number {
  return (
    byCodeUnits(a.operation, b.operation) ||
    byCodeUnits(a.time, b.time) ||
    byCodeUnits(a.manager, b.manager) ||
    byCodeUnits(a.apiVersion, b.apiVersion) ||
    byCodeUnits(a.subresource, b.subresource)
  );
}

function listOf(object: JsonObject): JsonObject[] {
  const metadata = object['metadata'];
  const list = isObject(metadata) ? metadata['managedFields'] : undefined;
  if (!Array.isArray(list)) return [];
  if (!list.every(isObject)) throw new PatchError('malformed', 'managedFields must hold objects');
  return list;
}

function isBlank(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === '';
}
