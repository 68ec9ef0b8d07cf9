/** Label and field selectors of a request on stored entries; extracted values are cached on the entry. */
import { breatheInLargeStep } from '../../base/cooperate.ts';
import type { JsonObject } from '../../base/json.ts';
import { smallBodyBytes } from '../../codec/limits.ts';
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
import { labelReading, labelsForIndex, labelsOf } from './entry-labels.ts';
import { SharedReading, type Reading } from './reading.ts';

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
  /** To await before a large entry is held against it: reads it in slices; undefined where there is nothing to read. */
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
  const ofLabels = labels.empty ? [] : [labelReading(labels.keys)];
  if (fields.length === 0)
    return {
      ...{ empty: labels.empty, needs: neededLabel(labels), bytes, matches: hasLabels },
      ...whatToRead(ofLabels),
    };
  return {
    empty: false,
    bytes,
    // Fields are preferred: few objects are on a node, many share a label.
    needs: fields.find(({ needs }) => needs)?.needs ?? neededLabel(labels),
    matches: (entry) => hasLabels(entry) && fields.every(({ holds }) => holds(entry)),
    ...whatToRead([...ofLabels, ...fields.flatMap(({ text = [] }) => text).slice(0, 1)]),
  };
}

/** Of one selector after the other. */
function whatToRead(readings: readonly Reading[]): Pick<Selection, 'isRead' | 'read'> {
  const isRead = (entry: Entry): boolean => readings.every((reading) => reading.isRead(entry));
  const readAll = async (entry: Entry): Promise<void> => {
    for (const reading of readings) if (!reading.isRead(entry)) await reading.read(entry);
  };
  return { isRead, read: (entry) => (isRead(entry) ? undefined : readAll(entry)) };
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
  const read = (entry: Entry): string | undefined => labelOf(labelsForIndex(entry, [key]), key);
  return { attribute: { id: `label ${key}`, read }, values: new Set(values) };
}

interface CompiledField {
  readonly needs: Need | undefined;
  readonly holds: (entry: Entry) => boolean;
  /** Absent where the key says it all. */
  readonly text?: Reading;
}

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
  if (isOfKey(resource, field)) return { needs: undefined, holds };
  const text = fieldValuesOf(resource.definition.selectableFields);
  if (wanted.size === 0 || field.startsWith('metadata.')) return { needs: undefined, holds, text };
  const id = `field ${field} of ${apiVersionOf(resource.gvk)}`;
  const isLarge = (entry: Entry): boolean => sizeOf(entry) > smallBodyBytes;
  return { needs: { attribute: { id, read, isLarge }, values: wanted }, holds, text };
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

/** The selectable fields of entries of a kind. */
class FieldValues implements Reading {
  readonly #readers: Readers;
  readonly #reading = new SharedReading();

  constructor(readers: Readers) {
    this.#readers = readers;
  }

  of(entry: Entry): Record<string, string> {
    const known = entry.memo?.get(this) as Record<string, string> | undefined;
    return known ?? this.#keep(entry, decodeStored(entry.bytes));
  }

  isRead(entry: Entry): boolean {
    return sizeOf(entry) <= smallBodyBytes || entry.memo?.has(this) === true;
  }

  read(entry: Entry): Promise<void> {
    return this.#reading.read(entry, async () => {
      this.#keep(entry, await decodeStoredInSlices(entry.bytes, breatheInLargeStep));
    });
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
