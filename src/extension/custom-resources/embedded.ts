/**
 * Embedded resources (extension `embedded-resource`): objects with apiVersion, kind and metadata inside of custom
 * resources.
 */
import { validateObjectMeta } from '../../api/validation/metadata.ts';
import { nameIsPathSegment } from '../../api/validation/name-rules.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { collect, invalid, maxFieldErrors, required } from '../../meta/field-error.ts';
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
 * Prunes unknown metadata fields of embedded resources. Metadata of a wrong type is kept, as it is an error. Mutates
 * the value.
 * @returns pruned paths, up to a limit
 */
export function pruneEmbedded(node: Structural, value: JsonValue, at: Place): string[] {
  const gone: string[] = [];
  visitEmbedded(node, value, {
    ...at,
    visit: (object, place) => {
      for (const path of pruneMetadata(object, place)) if (gone.length < maxFieldErrors) gone.push(path);
    },
  });
  return gone;
}

interface Visit extends Place {
  readonly visit: (object: JsonObject, at: Place) => void;
}

/** Visits embedded resources, outermost first. */
function visitEmbedded(node: Structural, value: JsonValue, at: Visit): void {
  const { items } = node;
  if (Array.isArray(value)) {
    if (items) value.forEach((item, i) => visitEmbedded(items, item, { ...at, path: at.path.index(i) }));
    return;
  }
  if (!isObject(value)) return;
  if (node.embedded) at.visit(value, at);
  for (const name of Object.keys(value)) {
    const schema = memberOf(node, name);
    const member = value[name];
    if (!schema || member === undefined) continue;
    visitEmbedded(schema, member, { ...at, path: at.path.child(name) });
  }
}

function pruneMetadata(object: JsonObject, { path, metadata: schema }: Place): string[] {
  const { metadata } = object;
  if (!isObject(metadata)) return [];
  const { value, unknown, errors } = checkStructure(schema, metadata, path.child('metadata'));
  if (errors.length > 0) return [];
  object['metadata'] = value;
  return [...unknown];
}

/** Errors of embedded resources in a value, up to a limit. */
export function embeddedErrors(node: Structural, value: JsonValue, at: Place): FieldError[] {
  const found: FieldError[] = [];
  visitEmbedded(node, value, {
    ...at,
    visit: (object, place) => {
      if (found.length < maxFieldErrors) collect(found, objectErrors(object, place));
    },
  });
  return found;
}

function objectErrors({ apiVersion, kind, metadata }: JsonObject, at: Place): FieldError[] {
  const { path } = at;
  const isVersion = typeof apiVersion === 'string' && parseApiVersion(apiVersion) !== undefined;
  return [
    ...(apiVersion === undefined || apiVersion === ''
      ? [required(path.child('apiVersion'), 'must not be empty')]
      : isVersion
        ? []
        : [invalid(path.child('apiVersion'), apiVersion, 'must be a group and version')]),
    ...(typeof kind === 'string' && kind !== '' ? [] : [required(path.child('kind'), 'must not be empty')]),
    ...(metadata === undefined ? [] : metadataErrors(metadata, { ...at, path: path.child('metadata') })),
  ];
}

/** Embedded resources need no name. */
function metadataErrors(metadata: JsonValue, { path, metadata: schema }: Place): FieldError[] {
  const { value, errors } = checkStructure(schema, metadata);
  if (errors.length > 0) return errors.map((problem) => invalid(path, 'metadata', problem));
  const meta: ObjectMeta = { name: 'unnamed', ...value };
  const rules = { namespaced: meta.namespace !== undefined, nameRule: nameIsPathSegment };
  return validateObjectMeta(meta, rules, path);
}
