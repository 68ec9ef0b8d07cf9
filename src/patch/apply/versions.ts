/**
 * Objects and field sets in other versions. A manager's set names the fields of the version it wrote in; to read
 * it in another version, the object is converted with and without these fields.
 */
import type { JsonObject } from '../../base/json.ts';
import { deepCopy } from '../../base/json.ts';
import type { StructSchema } from '../../schema/types.ts';
import type { Comparison } from './compare.ts';
import { compareObjects } from './compare.ts';
import type { Converting } from './converting.ts';
import type { FieldSet } from './field-set.ts';
import { emptyFieldSet, unionOf } from './field-set.ts';
import type { ManagedEntry } from './managed-entry.ts';
import type { ManagedFields } from './managed-fields.ts';
import { stripServerFields } from './strip-server-fields.ts';
import { withoutFields } from './prune-disowned.ts';
import { reconcileFieldSet } from './reconcile-field-set.ts';

/** The versions that a write works in. */
export interface Versions {
  /** The request's version. */
  readonly apiVersion: string;
  readonly schema: StructSchema;
  /** Schema of another version; undefined when it no longer exists, and ownership in it is dropped. */
  schemaOf(apiVersion: string): StructSchema | undefined;
}

/** What a write changes, in the request's version and in each version that other managers own fields in. */
export class VersionedChange {
  private readonly before: JsonObject;
  private readonly after: JsonObject;
  private readonly comparisons = new Map<string, Comparison | undefined>();
  /** In the request's version. */
  readonly own: Comparison;

  constructor({ apiVersion, schema }: Versions, before: JsonObject, after: JsonObject) {
    this.before = before;
    this.after = after;
    this.own = compareObjects(stripServerFields(before), stripServerFields(after), schema);
    this.comparisons.set(apiVersion, this.own);
  }

  /** Compares in every version that `managed` names; each is converted once. */
  *compareFor(managed: ManagedFields, versions: Versions): Converting<void> {
    for (const { parts } of managed) {
      if (this.comparisons.has(parts.apiVersion)) continue;
      this.comparisons.set(parts.apiVersion, yield* this.compareIn(parts.apiVersion, versions));
    }
  }

  /** Undefined when the version no longer exists. */
  in(apiVersion: string): Comparison | undefined {
    return this.comparisons.get(apiVersion);
  }

  private *compareIn(to: string, versions: Versions): Converting<Comparison | undefined> {
    const schema = versions.schemaOf(to);
    if (!schema) return undefined;
    const from = versions.apiVersion;
    const before = yield { object: deepCopy(this.before), from, to };
    const after = yield { object: deepCopy(this.after), from, to };
    return compareObjects(stripServerFields(before), stripServerFields(after), schema);
  }
}

/** An entry's set as the schema of its version has it today. */
export function currentSet(entry: ManagedEntry, versions: Versions): FieldSet {
  const { apiVersion } = entry.parts;
  const schema = apiVersion === versions.apiVersion ? versions.schema : versions.schemaOf(apiVersion);
  return reconcileFieldSet(entry.set, schema);
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
export function* setInRequestVersion(
  apiVersion: string,
  entries: readonly ManagedEntry[],
  { object, versions }: ReadFor,
): Converting<FieldSet | undefined> {
  const set = unionOf(entries.map((entry) => currentSet(entry, versions)));
  const own = versions.apiVersion;
  if (apiVersion === own) return set;
  const schema = versions.schemaOf(apiVersion);
  if (!schema) return undefined;
  const converted = yield { object: deepCopy(object), from: own, to: apiVersion };
  const pruned = withoutFields(converted, { gone: set, retained: emptyFieldSet }, schema);
  const rest = yield { object: pruned, from: apiVersion, to: own };
  return compareObjects(stripServerFields(rest), stripServerFields(object), versions.schema).changed;
}
