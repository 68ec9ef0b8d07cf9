/** Query parameters of operations; names and documentation come from the options types of the catalogue. */
import type { JsonObject } from '../../base/json.ts';
import type { SchemaSet } from '../../schema/load-proto.ts';
import type { Field } from '../../schema/types.ts';

export const listParameters: readonly string[] = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'timeoutSeconds',
  'watch',
];
export const writeParameters: readonly string[] = ['dryRun', 'fieldManager', 'fieldValidation'];
export const deleteParameters: readonly string[] = [
  'dryRun',
  'gracePeriodSeconds',
  'orphanDependents',
  'propagationPolicy',
];
/** Parameters of many operations, which are described once and referenced. */
export const sharedParameters: readonly string[] = [...listParameters, 'pretty'];

/** Types that have the parameters as fields; the first type with the name describes it. */
const optionTypes = ['meta/v1.ListOptions', 'meta/v1.PatchOptions', 'meta/v1.DeleteOptions'];

const pretty = { description: 'If true, the response is indented.', schema: { type: 'string' } };
/**
 * Not in the options types of this release; clients check for it before they rely on server-side field validation
 * (KEP-2885).
 */
const fieldValidation = {
  description:
    'What becomes of unknown and duplicate fields: "Strict" refuses the request and names all of them, "Warn" ' +
    'answers with a warning for each, "Ignore" (the default) drops them in silence.',
  schema: { type: 'string', uniqueItems: true },
};

/** The name of a parameter that is a field of a specific options type. */
export function ownParameter(type: string, field: string): string {
  return `${type}#${field}`;
}

export interface ParameterText {
  readonly name: string;
  readonly description: string;
  /** `{type}`, in the form that both OpenAPI versions share. */
  readonly schema: JsonObject;
}

/** @throws Error for a name that is not a field of an options type */
export function parameterText(schemas: SchemaSet, name: string): ParameterText {
  if (name === 'pretty') return { name, ...pretty };
  if (name === 'fieldValidation') return { name, ...fieldValidation };
  const mark = name.indexOf('#');
  const types = mark < 0 ? optionTypes : [name.slice(0, mark)];
  const own = name.slice(mark + 1);
  for (const type of types) {
    const field = schemas.get(type).fields.get(own);
    if (field) return { name: own, description: field.doc, schema: schemaOf(field) };
  }
  throw new Error(`no options type has ${name}`);
}

/** In a query a list is a single value. */
function schemaOf({ schema }: Field): JsonObject {
  if (schema.type === 'integer' || schema.type === 'boolean') return { type: schema.type, uniqueItems: true };
  return { type: 'string', uniqueItems: true };
}
