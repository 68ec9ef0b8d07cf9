/**
 * Objects and field sets in other versions. A manager's set names the fields of the version it wrote in; to read
 * it in another version, the object is converted with and without these fields.
 */
import type { JsonObject } from '../../base/json.ts';
import { deepCopy } from '../../base/json.ts';
import type { StructSchema } from '../../schema/types.ts';
import type { Comparison } from './compare.ts';
import { compareObjects } from './compare.ts';
import type { FieldSet } from './field-set.ts';
import { emptyFieldSet, unionOf } from './field-set.ts';
import type { ManagedEntry } from './managed-entry.ts';
import { ownable } from './ownable.ts';
import { withoutFields } from './prune.ts';
import { reconcile } from './reconcile.ts';

/** A version of a resource, seen from the version of the request. Conversions may mutate and return their argument. */
export interface OtherVersion {
  readonly schema: StructSchema;
  /** Object of the request's version → of this one. */
  toOther(object: JsonObject): JsonObject;
  /** Object of this version → of the request's. */
  fromOther(object: JsonObject): JsonObject;
}

/** The versions that a write works in. */
export interface Versions {
  /** The request's version. */
  readonly apiVersion: string;
  readonly schema: StructSchema;
  /** Another version; undefined when it no longer exists, and what was owned in it is nobody's. */
  other(apiVersion: string): OtherVersion | undefined;
}

/** What a write changes, in each version that somebody owns fields in. Made once per version. */
export class VersionedChange {
  private readonly versions: Versions;
  private readonly before: JsonObject;
  private readonly after: JsonObject;
  private readonly known = new Map<string, Comparison | undefined>();

  constructor(versions: Versions, before: JsonObject, after: JsonObject) {
    this.versions = versions;
    this.before = before;
    this.after = after;
  }

  /** Undefined when the version no longer exists. */
  in(apiVersion: string): Comparison | undefined {
    if (!this.known.has(apiVersion)) this.known.set(apiVersion, this.compare(apiVersion));
    return this.known.get(apiVersion);
  }

  private compare(apiVersion: string): Comparison | undefined {
    const { versions, before, after } = this;
    if (apiVersion === versions.apiVersion)
      return compareObjects(ownable(before), ownable(after), versions.schema);
    const other = versions.other(apiVersion);
    if (!other) return undefined;
    const [was, is] = [before, after].map((object) => ownable(other.toOther(deepCopy(object))));
    return compareObjects(was ?? {}, is ?? {}, other.schema);
  }
}

/** An entry's set as the schema of its version has it today. */
export function currentSet(entry: ManagedEntry, versions: Versions): FieldSet {
  const { apiVersion } = entry.parts;
  const schema = apiVersion === versions.apiVersion ? versions.schema : versions.other(apiVersion)?.schema;
  return reconcile(entry.set, schema);
}

/** What sets of other versions are read for. */
export interface ReadFor {
  /** An object of the request's version. */
  readonly object: JsonObject;
  readonly versions: Versions;
}

/**
 * The sets of entries of one version, together, in the request's version; undefined when their version is gone. What
 * one version keeps in one field and another in two counts as a whole. The object is converted once for all of them.
 */
export function setInRequestVersion(
  apiVersion: string,
  entries: readonly ManagedEntry[],
  { object, versions }: ReadFor,
): FieldSet | undefined {
  const set = unionOf(entries.map((entry) => currentSet(entry, versions)));
  if (apiVersion === versions.apiVersion) return set;
  const other = versions.other(apiVersion);
  if (!other) return undefined;
  const converted = other.toOther(deepCopy(object));
  const rest = other.fromOther(withoutFields(converted, { gone: set, kept: emptyFieldSet }, other.schema));
  return compareObjects(ownable(rest), ownable(object), versions.schema).changed;
}
