/** Label and field selectors of a request against stored entries; what they read is remembered on the entry. */
import type { JsonObject } from '../base/json.ts';
import { decodeStored, readLabels } from '../codec/stored.ts';
import type { FieldRequirement } from '../meta/field-selector.ts';
import { parseFieldSelector } from '../meta/field-selector.ts';
import type { Labels } from '../meta/label-selector.ts';
import { parseLabelSelector } from '../meta/label-selector.ts';
import type { ApiObject } from '../meta/object.ts';
import { badRequest } from '../meta/status.ts';
import { apiVersionOf } from '../meta/gvk.ts';
import type { Entry } from '../storage/types.ts';
import { memoized } from './memo.ts';
import type { ServedResource } from './types.ts';

/** Decides whether an entry is of interest; `empty` selections need no look at all. */
export interface Selection {
  readonly empty: boolean;
  matches(entry: Entry): boolean;
}

const labelsOf = memoized((entry): Labels | undefined => readLabels(entry.bytes));

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
  const fields = parseFieldSelector(fieldSelector).map((r) => compileField(resource, r));
  if (fields.length === 0) {
    return {
      empty: labels.empty,
      matches: labels.empty ? () => true : (entry) => labels.matches(labelsOf(entry)),
    };
  }
  return {
    empty: false,
    matches: (entry) => labels.matches(labelsOf(entry)) && fields.every((holds) => holds(entry)),
  };
}

function compileField(resource: ServedResource, requirement: FieldRequirement): (entry: Entry) => boolean {
  const read = fieldReader(resource, requirement.field);
  return (entry) => (read(entry) === requirement.value) === requirement.equals;
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
  // One parse serves all selectable fields of the kind; the parsed object itself is not kept.
  const values = fieldValuesOf(resource.definition.selectableFields);
  return (entry) => values(entry)[field] ?? '';
}

type Readers = Readonly<Record<string, (object: never) => string>>;
const valuesByReaders = new WeakMap<Readers, (entry: Entry) => Record<string, string>>();

function fieldValuesOf(readers: Readers): (entry: Entry) => Record<string, string> {
  const known = valuesByReaders.get(readers);
  if (known) return known;
  const values = memoized((entry: Entry) => readAll(readers, decodeStored(entry.bytes)));
  valuesByReaders.set(readers, values);
  return values;
}

function readAll(readers: Readers, object: JsonObject): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [field, read] of Object.entries(readers))
    result[field] = (read as (o: ApiObject) => string)(object as unknown as ApiObject);
  return result;
}
