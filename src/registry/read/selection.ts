/** Label and field selectors of a request on stored entries; extracted values are cached on the entry. */
import { breatheInLargeStep } from '../../base/cooperate.ts';
import type { JsonObject } from '../../base/json.ts';
import { decodeStored, decodeStoredInSlices } from '../../codec/stored.ts';
import type { FieldRequirement } from '../../meta/field-selector.ts';
import { parseFieldSelector } from '../../meta/field-selector.ts';
import { labelOf } from '../../meta/label-requirements.ts';
import type { LabelSelector } from '../../meta/label-selector.ts';
import { parseLabelSelector } from '../../meta/label-selector.ts';
import type { ApiObject } from '../../meta/object.ts';
import { badRequest } from '../../meta/status.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { sizeOf } from '../../storage/size.ts';
import type { Attribute, Entry } from '../../storage/types.ts';
import type { ServedResource } from '../types.ts';
import { labelsOf } from './entry-labels.ts';

/** Whether an entry matches; `empty` selections match everything. */
export interface Selection {
  readonly empty: boolean;
  /** An attribute that all matching entries have, for indexes; undefined if there is none. */
  readonly needs: Need | undefined;
  /** About what it takes in memory, with the texts that it was made of. */
  readonly bytes: number;
  matches(entry: Entry): boolean;
  /** Whether an entry can be held against it in a short step: it is not large, or was read for it. */
  isRead(entry: Entry): boolean;
  /** To await before a large entry is held against it: reads its fields in slices; undefined where there is nothing to read. */
  read(entry: Entry): Promise<void> | undefined;
}

/** Of what is required of a label: measured with sets of one value. */
const bytesOfKey = 350;
/** Of a value in a set, and of its text. */
const bytesOfValue = 100;

/** An attribute with one of these values. */
export interface Need {
  readonly attribute: Attribute;
  readonly values: ReadonlySet<string>;
}

/**
 * Compiles both selectors for a resource.
 * @throws StatusError 400 for a malformed selector or a field that the resource does not offer
 */
export function compileSelection(
  resource: ServedResource,
  labelSelector: string,
  fieldSelector: string,
): Selection {
  const labels = parseLabelSelector(labelSelector);
  const fields = compileFields(resource, parseFieldSelector(fieldSelector));
  // Without a selector of labels they are not read: that of a name needs no text at all.
  const hasLabels = labels.empty
    ? (): boolean => true
    : (entry: Entry): boolean => labels.matches(labelsOf(entry, labels.keys));
  const bytes = labels.keys.length * bytesOfKey + bytesOfTexts(labelSelector) + bytesOfTexts(fieldSelector);
  if (fields.length === 0)
    return { empty: labels.empty, needs: neededLabel(labels), bytes, matches: hasLabels, ...nothingToRead };
  const text = fields.find((field) => field.text)?.text ?? nothingToRead;
  return {
    ...{ empty: false, bytes },
    // Fields are preferred: few objects are on a node, many share a label.
    needs: fields.find(({ needs }) => needs)?.needs ?? neededLabel(labels),
    matches: (entry) => hasLabels(entry) && fields.every(({ holds }) => holds(entry)),
    isRead: (entry) => text.isRead(entry),
    read: (entry) => text.read(entry),
  };
}

/** Each term and each value has a comma; the text is also held as a part of the query. */
function bytesOfTexts(selector: string): number {
  let bytes = 2 * selector.length;
  for (let at = selector.indexOf(','); at >= 0; at = selector.indexOf(',', at + 1)) bytes += bytesOfValue;
  return bytes;
}

function neededLabel({ needs }: LabelSelector): Need | undefined {
  if (!needs) return undefined;
  const { key, values } = needs;
  const read = (entry: Entry): string | undefined => labelOf(labelsOf(entry, [key]), key);
  return { attribute: { id: `label ${key}`, read }, values: new Set(values) };
}

interface CompiledField {
  readonly needs: Need | undefined;
  readonly holds: (entry: Entry) => boolean;
  /** Absent where the key says it all. */
  readonly text?: Reading;
}

type Reading = Pick<Selection, 'isRead' | 'read'>;

const nothingToRead: Reading = { isRead: () => true, read: () => undefined };

/** Terms are merged by field: a selector may have thousands of terms, a resource has a few fields. */
function compileFields(resource: ServedResource, requirements: readonly FieldRequirement[]): CompiledField[] {
  const byField = Map.groupBy(requirements, ({ field }) => field);
  return [...byField].map(([field, all]) => compileField(resource, field, all));
}

function compileField(
  resource: ServedResource,
  field: string,
  requirements: readonly FieldRequirement[],
): CompiledField {
  const read = fieldReader(resource, field);
  const wanted = valuesOf(requirements, true);
  const excluded = valuesOf(requirements, false);
  const holds = (entry: Entry): boolean => {
    const value = read(entry);
    // A field cannot have two different values.
    return (wanted.size === 0 || (wanted.size === 1 && wanted.has(value))) && !excluded.has(value);
  };
  const ofText = isOfKey(resource, field)
    ? {}
    : { text: fieldValuesOf(resource.definition.selectableFields) };
  if (wanted.size === 0 || field.startsWith('metadata.')) return { needs: undefined, holds, ...ofText };
  const id = `field ${field} of ${apiVersionOf(resource.gvk)}`;
  return { needs: { attribute: { id, read }, values: wanted }, holds, ...ofText };
}

function valuesOf(requirements: readonly FieldRequirement[], equal: boolean): ReadonlySet<string> {
  return new Set(requirements.filter(({ equals }) => equals === equal).map(({ value }) => value));
}

/** Name and namespace stand in the key. */
function isOfKey({ namespaced }: ServedResource, field: string): boolean {
  return field === 'metadata.name' || (field === 'metadata.namespace' && namespaced);
}

function fieldReader(resource: ServedResource, field: string): (entry: Entry) => string {
  if (field === 'metadata.name') return (entry) => entry.key.slice(entry.key.indexOf('/') + 1);
  if (field === 'metadata.namespace' && resource.namespaced) {
    return (entry) => entry.key.slice(0, Math.max(0, entry.key.indexOf('/')));
  }
  const { selectableFields } = resource.definition;
  const read = Object.hasOwn(selectableFields, field) ? selectableFields[field] : undefined;
  if (read === undefined) {
    throw badRequest(
      `field label not supported for ${apiVersionOf(resource.gvk)} ${resource.gvk.kind}: ${field}`,
    );
  }
  // One parse extracts all selectable fields of the kind; the parsed object is not kept.
  const values = fieldValuesOf(resource.definition.selectableFields);
  return (entry) => values.of(entry)[field] ?? '';
}

type Readers = Readonly<Record<string, (object: never) => string>>;
const valuesByReaders = new WeakMap<Readers, FieldValues>();
/** To parse larger ones takes milliseconds, 110 for 2.7 MB of empty objects. */
const largeBytes = 64 * 1024;

/** The selectable fields of entries of a kind. */
class FieldValues implements Reading {
  readonly #readers: Readers;
  /** Watches, and lists that begin at once, read an entry together. */
  readonly #reading = new WeakMap<Entry, Promise<void>>();

  constructor(readers: Readers) {
    this.#readers = readers;
  }

  of(entry: Entry): Record<string, string> {
    const known = entry.memo?.get(this) as Record<string, string> | undefined;
    return known ?? this.#keep(entry, decodeStored(entry.bytes));
  }

  isRead(entry: Entry): boolean {
    return sizeOf(entry) <= largeBytes || entry.memo?.has(this) === true;
  }

  /** Keeps those of a large entry, read in slices; undefined where they are known, and for small ones. */
  read(entry: Entry): Promise<void> | undefined {
    if (this.isRead(entry)) return undefined;
    const reading = this.#reading.get(entry) ?? this.#readInSlices(entry);
    this.#reading.set(entry, reading);
    return reading;
  }

  async #readInSlices(entry: Entry): Promise<void> {
    try {
      this.#keep(entry, await decodeStoredInSlices(entry.bytes, breatheInLargeStep));
    } finally {
      this.#reading.delete(entry);
    }
  }

  #keep(entry: Entry, object: JsonObject): Record<string, string> {
    const values = readAll(this.#readers, object);
    (entry.memo ??= new Map()).set(this, values);
    return values;
  }
}

function fieldValuesOf(readers: Readers): FieldValues {
  const known = valuesByReaders.get(readers);
  if (known) return known;
  const values = new FieldValues(readers);
  valuesByReaders.set(readers, values);
  return values;
}

function readAll(readers: Readers, object: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(readers).map(([field, read]) => [
      field,
      (read as (o: ApiObject) => string)(object as unknown as ApiObject),
    ]),
  );
}
