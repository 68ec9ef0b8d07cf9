/** Query parameters of operations: names and documentation come from the options types of the catalogue. */
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
/** Parameters that many operations have: they are described once and referred to. */
export const sharedParameters: readonly string[] = [...listParameters, 'pretty'];

/** Types that hold the parameters as fields; the first that knows a name describes it. */
const optionTypes = ['meta/v1.ListOptions', 'meta/v1.PatchOptions', 'meta/v1.DeleteOptions'];

const pretty = { description: 'Indent the answer for people.', schema: { type: 'string' } };
/** Not among the options types of this release; clients look for the name before they leave validation to the service. */
const fieldValidation = {
  description:
    'What becomes of unknown and duplicate fields: "Strict" refuses the request and names all of them, "Warn" ' +
    'answers with a warning for each, "Ignore" (the default) drops them in silence.',
  schema: { type: 'string', uniqueItems: true },
};

/** How an operation names a parameter that is a field of an options type of its own. */
export function ownParameter(type: string, field: string): string {
  return `${type}#${field}`;
}

export interface ParameterText {
  readonly name: string;
  readonly description: string;
  /** `{type}`, in the form that both versions share. */
  readonly schema: JsonObject;
}

/** @throws Error for a name that no options type has */
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

/** In a query a list is its only value. */
function schemaOf({ schema }: Field): JsonObject {
  if (schema.type === 'integer' || schema.type === 'boolean') return { type: schema.type, uniqueItems: true };
  return { type: 'string', uniqueItems: true };
}
