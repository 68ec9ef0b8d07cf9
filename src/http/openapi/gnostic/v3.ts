/** Messages of OpenAPI 3 in Protobuf; numbers as in the format's public definition (package `openapi.v3`). */
import { isObject } from '../../../base/json.ts';
import type { BodyWriter, FieldWriter } from './message.ts';
import { any, choice, double, flag, integer, many, message, named, one, text, wrapped } from './message.ts';

/** A reference is 2, the thing itself is 1. */
function orReference(body: BodyWriter): FieldWriter {
  return choice((value) =>
    isObject(value) && value['$ref'] !== undefined ? wrapped(2, one(reference)) : wrapped(1, one(body)),
  );
}

const reference = message(() => ({ fields: { $ref: [1, text] } }));

/** Only plain values have a form; a default that is an object or a list is left out. */
const defaultValue: FieldWriter = choice((value) => {
  if (typeof value === 'number') return wrapped(1, double);
  if (typeof value === 'boolean') return wrapped(2, flag);
  return typeof value === 'string' ? wrapped(3, text) : nothing;
});

const nothing: FieldWriter = () => undefined;

const schema: BodyWriter = message(() => ({
  fields: {
    nullable: [1, flag],
    title: [9, text],
    multipleOf: [10, double],
    maximum: [11, double],
    exclusiveMaximum: [12, flag],
    minimum: [13, double],
    exclusiveMinimum: [14, flag],
    maxLength: [15, integer],
    minLength: [16, integer],
    pattern: [17, text],
    maxItems: [18, integer],
    minItems: [19, integer],
    uniqueItems: [20, flag],
    maxProperties: [21, integer],
    minProperties: [22, integer],
    required: [23, many(text)],
    enum: [24, many(any)],
    type: [25, text],
    allOf: [26, many(orReference(schema))],
    oneOf: [27, many(orReference(schema))],
    anyOf: [28, many(orReference(schema))],
    not: [29, one(schema)],
    items: [30, wrapped(1, many(orReference(schema)))],
    properties: [31, wrapped(1, named(orReference(schema)))],
    additionalProperties: [
      32,
      choice((value) => (isObject(value) ? wrapped(1, orReference(schema)) : wrapped(2, flag))),
    ],
    default: [33, defaultValue],
    description: [34, text],
    format: [35, text],
  },
  extensions: 36,
}));

const mediaType = message(() => ({ fields: { schema: [1, orReference(schema)] } }));
const content: FieldWriter = wrapped(1, named(one(mediaType)));

const parameter = message(() => ({
  fields: {
    name: [1, text],
    in: [2, text],
    description: [3, text],
    required: [4, flag],
    schema: [10, orReference(schema)],
  },
  extensions: 14,
}));

const requestBody = message(() => ({
  fields: { description: [1, text], content: [2, content], required: [3, flag] },
  extensions: 4,
}));

const response = message(() => ({
  fields: { description: [1, text], content: [3, content] },
  extensions: 5,
}));

const securityRequirement: FieldWriter = wrapped(1, named(wrapped(1, many(text))));

const operation = message(() => ({
  fields: {
    tags: [1, many(text)],
    summary: [2, text],
    description: [3, text],
    operationId: [5, text],
    parameters: [6, many(orReference(parameter))],
    requestBody: [7, orReference(requestBody)],
    responses: [8, wrapped(2, named(orReference(response)))],
    deprecated: [10, flag],
    security: [11, many(securityRequirement)],
  },
  extensions: 13,
}));

const pathItem = message(() => ({
  fields: {
    get: [4, one(operation)],
    put: [5, one(operation)],
    post: [6, one(operation)],
    delete: [7, one(operation)],
    patch: [10, one(operation)],
    parameters: [13, many(orReference(parameter))],
  },
  extensions: 14,
}));

const info = message(() => ({ fields: { title: [1, text], version: [6, text] } }));

const securityScheme = message(() => ({
  fields: { type: [1, text], description: [2, text], name: [3, text], in: [4, text] },
}));

const components = message(() => ({
  fields: {
    parameters: [3, wrapped(1, named(orReference(parameter)))],
    securitySchemes: [7, wrapped(1, named(orReference(securityScheme)))],
  },
}));

/** The document without `paths` and `components`. */
export const headV3 = message(() => ({
  fields: { openapi: [1, text], info: [2, one(info)], security: [6, many(securityRequirement)] },
}));

/** Number of `paths` in the document, of a path in it, and how paths by name are written. */
export const pathsV3 = { number: 4, entry: 1, write: named(one(pathItem)) };
/** Components without `schemas`. */
export const componentsV3 = { number: 5, body: components };
/** `schemas` in the components. */
export const schemasV3 = { number: 1, entry: 1, write: named(orReference(schema)) };
