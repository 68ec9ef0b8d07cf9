/** Whole objects inside of custom resources say what they are, and have metadata like any other. */
import { validateObjectMeta } from '../../api/validation/metadata.ts';
import { nameIsPathSegment } from '../../api/validation/names.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { invalid, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import type { ObjectMeta } from '../../meta/object.ts';
import { parseApiVersion } from '../../meta/gvk.ts';
import { checkStructure } from '../../schema/structure.ts';
import type { Structural } from '../../schema/structural/types.ts';
import { memberOf } from '../../schema/structural/types.ts';
import type { StructSchema } from '../../schema/types.ts';

interface Place {
  readonly path: FieldPath;
  /** Schema of metadata. */
  readonly metadata: StructSchema;
}

/**
 * Leaves metadata of embedded objects with the fields that metadata has. Metadata of another type stays: it is a fault.
 * Mutates the value. @returns paths of what went
 */
export function pruneEmbedded(node: Structural, value: JsonValue, at: Place): string[] {
  if (Array.isArray(value)) {
    const { items } = node;
    if (!items) return [];
    return value.flatMap((item, i) => pruneEmbedded(items, item, { ...at, path: at.path.index(i) }));
  }
  if (!isObject(value)) return [];
  const own = node.embedded ? pruneMetadata(value, at) : [];
  const below = Object.entries(value).flatMap(([name, member]) => {
    const schema = memberOf(node, name);
    if (!schema || member === undefined) return [];
    return pruneEmbedded(schema, member, { ...at, path: at.path.child(name) });
  });
  return [...own, ...below];
}

function pruneMetadata(object: JsonObject, { path, metadata: schema }: Place): string[] {
  const { metadata } = object;
  if (!isObject(metadata)) return [];
  const { value, unknown, errors } = checkStructure(schema, metadata, path.child('metadata'));
  if (errors.length > 0) return [];
  object['metadata'] = value;
  return [...unknown];
}

/** Faults of all embedded objects below a value. */
export function embeddedFaults(node: Structural, value: JsonValue, at: Place): FieldError[] {
  if (Array.isArray(value)) {
    const { items } = node;
    if (!items) return [];
    return value.flatMap((item, i) => embeddedFaults(items, item, { ...at, path: at.path.index(i) }));
  }
  if (!isObject(value)) return [];
  const own = node.embedded ? objectFaults(value, at) : [];
  const below = Object.entries(value).flatMap(([name, member]) => {
    const schema = memberOf(node, name);
    if (!schema || member === undefined) return [];
    return embeddedFaults(schema, member, { ...at, path: at.path.child(name) });
  });
  return [...own, ...below];
}

function objectFaults({ apiVersion, kind, metadata }: JsonObject, at: Place): FieldError[] {
  const { path } = at;
  const isVersion = typeof apiVersion === 'string' && parseApiVersion(apiVersion) !== undefined;
  return [
    ...(apiVersion === undefined || apiVersion === ''
      ? [required(path.child('apiVersion'), 'must not be empty')]
      : isVersion
        ? []
        : [invalid(path.child('apiVersion'), apiVersion, 'must be a group and version')]),
    ...(typeof kind === 'string' && kind !== '' ? [] : [required(path.child('kind'), 'must not be empty')]),
    ...(metadata === undefined ? [] : metadataFaults(metadata, { ...at, path: path.child('metadata') })),
  ];
}

/** A name is no duty of embedded objects. */
function metadataFaults(metadata: JsonValue, { path, metadata: schema }: Place): FieldError[] {
  const { value, errors } = checkStructure(schema, metadata);
  if (errors.length > 0) return errors.map((problem) => invalid(path, 'metadata', problem));
  const meta: ObjectMeta = { name: 'unnamed', ...value };
  const rules = { namespaced: meta.namespace !== undefined, nameRule: nameIsPathSegment };
  return validateObjectMeta(meta, rules, path);
}
