/** Fields that objects of a definition can be selected by (`selectableFields`, KEP-4358): rules, and how values are read. */
import { getOwn, isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { namesInPath } from '../../cel/schema/rule-path.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate, invalid, required, tooMany } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { memberOf, type Structural } from '../../schema/structural/types.ts';
import type { DefinitionFeatures } from './rule-release.ts';
import type { SelectableField } from './v1.types.ts';

/** How many fields a version may offer. */
const mostFields = 8;

const selectableTypes: ReadonlySet<string | undefined> = new Set(['string', 'boolean', 'integer']);

/** Whether objects can be selected by the fields that their definition names. */
export function selectsByFields({ isFeatureEnabled }: DefinitionFeatures): boolean {
  return isFeatureEnabled?.('CustomResourceFieldSelectors') === true;
}

/** @param node the schema of the version; undefined if it has none */
export function selectableFieldErrors(
  fields: readonly SelectableField[] | undefined,
  node: Structural | undefined,
  path: FieldPath,
): FieldError[] {
  if (!fields || fields.length === 0) return [];
  if (!node) return [invalid(path, '', 'may only be set where there is a schema')];
  const seen = new Set<string>();
  const errors = fields.flatMap(({ jsonPath = '' }, i) => {
    const at = path.index(i).child('jsonPath');
    const isRepeated = seen.has(jsonPath);
    seen.add(jsonPath);
    return isRepeated ? [duplicate(at, jsonPath)] : fieldErrors(jsonPath, node, at);
  });
  return seen.size > mostFields ? [...errors, tooMany(path, seen.size, mostFields)] : errors;
}

function fieldErrors(jsonPath: string, node: Structural, at: FieldPath): FieldError[] {
  if (jsonPath === '') return [required(at)];
  const names = namesInPath(jsonPath);
  if (names?.[0] === 'metadata') return [invalid(at, jsonPath, 'must not point to fields in metadata')];
  const field = names && fieldAt(node, names);
  if (!field) return [invalid(at, jsonPath, 'is an invalid path: must name fields of the schema')];
  if (selectableTypes.has(field.type) && !field.intOrString) return [];
  return [invalid(at, jsonPath, 'must point to a field of type string, boolean or integer')];
}

function fieldAt(node: Structural, names: readonly string[]): Structural | undefined {
  return names.reduce<Structural | undefined>(
    (current, name) => current && current.properties.get(name) && memberOf(current, name),
    node,
  );
}

/**
 * How the values are read, by the keys of field selectors: the path without its first dot. Paths that are none, which
 * releases without such fields have stored, are left out.
 */
export function selectableFieldReaders(
  fields: readonly SelectableField[] | undefined,
): Record<string, (object: object) => string> {
  return Object.fromEntries(
    (fields ?? []).slice(0, mostFields).flatMap(({ jsonPath = '' }) => {
      const names = namesInPath(jsonPath);
      if (!names || !jsonPath.startsWith('.')) return [];
      return [[jsonPath.slice(1), (object: object) => textAt(object as JsonObject, names)]];
    }),
  );
}

/** What is missing is the empty text. */
function textAt(object: JsonObject, names: readonly string[]): string {
  let value: JsonValue | undefined = object;
  for (const name of names) value = isObject(value) ? getOwn(value, name) : undefined;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return JSON.isRawJSON(value) ? value.rawJSON : '';
}
