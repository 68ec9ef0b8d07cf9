/** Messages of OpenAPI 2 in Protobuf; numbers as in the format's public definition (package `openapi.v2`). */
import type { JsonValue } from '../../../base/json.ts';
import { isObject } from '../../../base/json.ts';
import type { FieldWriter } from './message.ts';
import { any, choice, double, flag, integer, many, message, named, one, text, wrapped } from './message.ts';

const schema = message(() => ({
  fields: {
    $ref: [1, text],
    format: [2, text],
    title: [3, text],
    description: [4, text],
    default: [5, any],
    multipleOf: [6, double],
    maximum: [7, double],
    exclusiveMaximum: [8, flag],
    minimum: [9, double],
    exclusiveMinimum: [10, flag],
    maxLength: [11, integer],
    minLength: [12, integer],
    pattern: [13, text],
    maxItems: [14, integer],
    minItems: [15, integer],
    uniqueItems: [16, flag],
    maxProperties: [17, integer],
    minProperties: [18, integer],
    required: [19, many(text)],
    enum: [20, many(any)],
    additionalProperties: [
      21,
      choice((value) => (isObject(value) ? wrapped(1, one(schema)) : wrapped(2, flag))),
    ],
    type: [22, wrapped(1, many(text))],
    items: [23, wrapped(1, many(one(schema)))],
    allOf: [24, many(one(schema))],
    properties: [25, wrapped(1, named(one(schema)))],
  },
  extensions: 31,
}));

const bodyParameter = message(() => ({
  fields: {
    description: [1, text],
    name: [2, text],
    in: [3, text],
    required: [4, flag],
    schema: [5, one(schema)],
  },
  extensions: 6,
}));

const queryParameter = message(() => ({
  fields: {
    required: [1, flag],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [6, text],
    format: [7, text],
    uniqueItems: [20, flag],
  },
  extensions: 23,
}));

const pathParameter = message(() => ({
  fields: {
    required: [1, flag],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [5, text],
    format: [6, text],
    uniqueItems: [19, flag],
  },
  extensions: 22,
}));

const reference = message(() => ({ fields: { $ref: [1, text], description: [2, text] } }));

/** Body parameters are a kind of their own, all others differ by where they stand. */
const parameter: FieldWriter = choice((value) => {
  const place = memberOf(value, 'in');
  if (place === 'body') return wrapped(1, one(bodyParameter));
  if (place === 'path') return wrapped(2, wrapped(4, one(pathParameter)));
  return wrapped(2, wrapped(3, one(queryParameter)));
});

const parameterItem: FieldWriter = choice((value) =>
  memberOf(value, '$ref') === undefined ? wrapped(1, parameter) : wrapped(2, one(reference)),
);

const response = message(() => ({
  fields: { description: [1, text], schema: [2, wrapped(1, one(schema))] },
  extensions: 5,
}));

const securityRequirement: FieldWriter = wrapped(1, named(wrapped(1, many(text))));

const operation = message(() => ({
  fields: {
    tags: [1, many(text)],
    summary: [2, text],
    description: [3, text],
    operationId: [5, text],
    produces: [6, many(text)],
    consumes: [7, many(text)],
    parameters: [8, many(parameterItem)],
    responses: [9, wrapped(1, named(wrapped(1, one(response))))],
    schemes: [10, many(text)],
    deprecated: [11, flag],
    security: [12, many(securityRequirement)],
  },
  extensions: 13,
}));

const pathItem = message(() => ({
  fields: {
    get: [2, one(operation)],
    put: [3, one(operation)],
    post: [4, one(operation)],
    delete: [5, one(operation)],
    patch: [8, one(operation)],
    parameters: [9, many(parameterItem)],
  },
  extensions: 10,
}));

const info = message(() => ({ fields: { title: [1, text], version: [2, text] } }));

const apiKey = message(() => ({
  fields: { type: [1, text], name: [2, text], in: [3, text], description: [4, text] },
}));

/** The document without `paths` and `definitions`. */
export const headV2 = message(() => ({
  fields: {
    swagger: [1, text],
    info: [2, one(info)],
    parameters: [10, wrapped(1, named(parameter))],
    security: [12, many(securityRequirement)],
    securityDefinitions: [13, wrapped(1, named(wrapped(2, one(apiKey))))],
  },
}));

/** Number of `paths` in the document, of a path in it, and how paths by name are written. */
export const pathsV2 = { number: 8, entry: 2, write: named(one(pathItem)) };
export const definitionsV2 = { number: 9, entry: 1, write: named(one(schema)) };

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  return isObject(value) ? value[name] : undefined;
}
