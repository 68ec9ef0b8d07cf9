/**
 * Ownership after a write that is no apply: the writer owns what it changed, all other managers lose it (KEP-555,
 * updates).
 */
import type { JsonObject } from '../../base/json.ts';
import { additions } from './additions.ts';
import { capManagers } from './cap-managers.ts';
import type { Comparison } from './compare.ts';
import type { Converting } from './converting.ts';
import type { FieldSet } from './field-set.ts';
import { emptyFieldSet } from './field-set.ts';
import { ManagedEntry } from './managed-entry.ts';
import type { ManagedFields } from './managed-fields.ts';
import { inOrder } from './managed-fields.ts';
import { stripServerFields } from './strip-server-fields.ts';
import { takeOver } from './take-over.ts';
import type { Versions } from './versions.ts';
import { VersionedChange, currentSet } from './versions.ts';
import { viewOf } from './schema-view.ts';

export interface UpdateWrite {
  /** The object before, in the request's version; for a create, what an empty object looks like. */
  readonly live: JsonObject;
  /** The object as it will be stored, in the request's version. */
  readonly next: JsonObject;
  /** The managers before the write. */
  readonly managed: ManagedFields;
  readonly manager: string;
  readonly subresource: string;
  /** Time of the write, as metadata carries it. */
  readonly time: string;
}

/** The managers after the write. The same list when the write changes nothing that can be owned. Never throws. */
export function* trackUpdate(write: UpdateWrite, versions: Versions): Converting<ManagedFields> {
  const first = write.managed.length === 0 ? firstOwner(write, versions) : undefined;
  return first ?? (yield* ownersAfter(write, versions));
}

/** For an object without managers, as every new one is. Undefined for a write that does more than add to it. */
function firstOwner(write: UpdateWrite, { apiVersion, schema }: Versions): ManagedFields | undefined {
  const added = additions(stripServerFields(write.live), stripServerFields(write.next), viewOf(schema));
  if (added === undefined) return undefined;
  const { manager, subresource, time, managed } = write;
  if (Object.keys(added).length === 0) return managed;
  return [ManagedEntry.written({ manager, operation: 'Update', subresource, apiVersion, time }, added)];
}

function* ownersAfter(write: UpdateWrite, versions: Versions): Converting<ManagedFields> {
  const change = new VersionedChange(versions, write.live, write.next);
  if (change.own.isSame) return write.managed;
  const writer = { manager: write.manager, operation: 'Update', subresource: write.subresource } as const;
  const own = write.managed.find((entry) => entry.isOf(writer, versions.apiVersion));
  const others = write.managed.filter((entry) => entry !== own);
  const former =
    own ?? ManagedEntry.of({ ...writer, apiVersion: versions.apiVersion, time: '' }, emptyFieldSet);
  yield* change.compareFor(others, versions);
  const next = afterChange(former, change.own, { time: write.time, versions });
  return inOrder(capManagers([...takeOver(others, change, versions), ...next]));
}

interface OwnershipContext {
  readonly time: string;
  readonly versions: Versions;
}

/** The writer's entry; none when it owns nothing. */
function afterChange(
  own: ManagedEntry,
  { changed, removed }: Comparison,
  { time, versions }: OwnershipContext,
): ManagedEntry[] {
  // Most writers set the same fields again and again: no set need be read.
  if (own.owns(changed) && !own.touches(removed)) return changed.isEmpty ? existing(own) : [own.at(time)];
  const set: FieldSet = currentSet(own, versions).union(changed).difference(removed);
  return set.isEmpty ? [] : [own.withSet(set, time)];
}

function existing(own: ManagedEntry): ManagedEntry[] {
  return own.set.isEmpty ? [] : [own];
}
