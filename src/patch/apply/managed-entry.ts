/**
 * One entry of `metadata.managedFields`: a manager and what it owns. An entry that a write does not change keeps its
 * JSON, byte for byte; its field set is decoded only when a write needs more than `touches` and `owns` find in the
 * JSON.
 */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { deepEqual, getOwn, isObject } from '../../base/json.ts';
import type { FieldSet } from './field-set.ts';
import { self } from './fields-step.ts';
import { decodeCanonicalFieldsV1, decodeFieldsV1, encodeFieldsV1 } from './fields-v1.ts';

export type Operation = 'Apply' | 'Update';

/** Identifies a manager: its name, operation and subresource. */
export interface ManagerIdentifier {
  readonly manager: string;
  readonly operation: Operation;
  readonly subresource: string;
}

export interface EntryParts extends ManagerIdentifier {
  /** The version whose field names the set uses. */
  readonly apiVersion: string;
  /** '' when unknown. */
  readonly time: string;
}

export class ManagedEntry {
  readonly parts: EntryParts;
  private json: JsonObject | undefined;
  private fields: FieldSet | undefined;

  private constructor(parts: EntryParts, json: JsonObject | undefined, fields: FieldSet | undefined) {
    this.parts = parts;
    this.json = json;
    this.fields = fields;
  }

  static of(parts: EntryParts, fields: FieldSet): ManagedEntry {
    return new ManagedEntry(parts, undefined, fields);
  }

  /** An entry whose field set is in its JSON form already. */
  static written(parts: EntryParts, fieldsV1: JsonObject): ManagedEntry {
    return new ManagedEntry(parts, encodeEntry(parts, fieldsV1), undefined);
  }

  /** An entry as this server wrote it. */
  static read(json: JsonObject): ManagedEntry {
    return new ManagedEntry(partsOf(json), json, undefined);
  }

  /**
   * An entry as a client wrote it.
   * @throws PatchError `malformed` when its field set cannot be read
   */
  static readSent(json: JsonObject): ManagedEntry {
    return new ManagedEntry(partsOf(json), undefined, decodeFieldsV1(fieldsOfEntry(json)));
  }

  get set(): FieldSet {
    return (this.fields ??= decodeCanonicalFieldsV1(fieldsOfEntry(this.json ?? {})));
  }

  /** Appliers are the same whatever version they write in. */
  isOf(writer: ManagerIdentifier, apiVersion: string): boolean {
    const { parts } = this;
    return (
      parts.manager === writer.manager &&
      parts.operation === writer.operation &&
      parts.subresource === writer.subresource &&
      (parts.operation === 'Apply' || parts.apiVersion === apiVersion)
    );
  }

  /** The entry with another set; unchanged when the set is the same. */
  withSet(set: FieldSet, time = this.parts.time): ManagedEntry {
    return set === this.fields && time === this.parts.time
      ? this
      : ManagedEntry.of({ ...this.parts, time }, set);
  }

  /** The entry with another time. */
  at(time: string): ManagedEntry {
    const parts = { ...this.parts, time };
    return new ManagedEntry(parts, this.json && { ...this.json, time }, this.fields);
  }

  /** False when the entry has none of the paths and nothing below them. */
  touches(set: FieldSet): boolean {
    return meets(this.fieldsV1, set);
  }

  /** True when the entry has every path of the set. */
  owns(set: FieldSet): boolean {
    return contains(this.fieldsV1, set);
  }

  /** Its set in JSON form. */
  get fieldsV1(): JsonObject {
    return fieldsOfEntry(this.toJson());
  }

  /** True when the entry has the paths of a set in its JSON form, and no other. */
  hasExactly(fieldsV1: JsonObject): boolean {
    return deepEqual(this.fieldsV1, fieldsV1);
  }

  toJson(): JsonObject {
    return (this.json ??= encodeEntry(this.parts, encodeFieldsV1(this.set)));
  }
}

function partsOf(json: JsonObject): EntryParts {
  const text = (name: string): string => {
    const value = getOwn(json, name);
    return typeof value === 'string' ? value : '';
  };
  return {
    manager: text('manager'),
    operation: text('operation') === 'Apply' ? 'Apply' : 'Update',
    subresource: text('subresource'),
    apiVersion: text('apiVersion'),
    time: text('time'),
  };
}

function encodeEntry(parts: EntryParts, fieldsV1: JsonObject): JsonObject {
  return {
    manager: parts.manager,
    operation: parts.operation,
    apiVersion: parts.apiVersion,
    ...(parts.time !== '' && { time: parts.time }),
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(parts.subresource !== '' && { subresource: parts.subresource }),
  };
}

function fieldsOfEntry(json: JsonObject): JsonObject {
  const fields = getOwn(json, 'fieldsV1');
  return isObject(fields) ? fields : {};
}

function below(fields: JsonObject, element: string): JsonObject | undefined {
  const value: JsonValue | undefined = getOwn(fields, element);
  return isObject(value) ? value : undefined;
}

function isMember(node: JsonObject | undefined): boolean {
  return node !== undefined && (Object.hasOwn(node, self) || Object.keys(node).length === 0);
}

/** So many steps are looked up one by one; of more, those of the entry are. */
const fewSteps = 32;

function meets(fields: JsonObject, set: FieldSet): boolean {
  if (set.members.size + set.children.size > fewSteps) return meetsOwn(fields, set);
  for (const element of set.members) if (Object.hasOwn(fields, element)) return true;
  for (const [element, child] of set.children) {
    const node = below(fields, element);
    if (node && meets(node, child)) return true;
  }
  return false;
}

/** The same by the entry's own steps: entries may be many, and each small beside what is written. */
function meetsOwn(fields: JsonObject, set: FieldSet): boolean {
  for (const element of Object.keys(fields)) {
    if (set.members.has(element)) return true;
    const child = set.children.get(element);
    const node = child && below(fields, element);
    if (node && meets(node, child)) return true;
  }
  return false;
}

function contains(fields: JsonObject, set: FieldSet): boolean {
  for (const element of set.members) if (!isMember(below(fields, element))) return false;
  for (const [element, child] of set.children) {
    const node = below(fields, element);
    if (!node || !contains(node, child)) return false;
  }
  return true;
}
