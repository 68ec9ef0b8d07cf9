/** What a schema's keywords may hold. Parts of a schema are free values in the catalogue, so their types are checked here. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { errorsOf, typeInvalid } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';

type Shape =
  | 'string'
  | 'number'
  | 'count'
  | 'boolean'
  | 'schema'
  | 'schemas'
  | 'schemaMap'
  | 'strings'
  | 'array'
  | 'rules';

const shapes: Readonly<Record<string, Shape>> = {
  ...{ description: 'string', type: 'string', format: 'string', title: 'string', pattern: 'string' },
  ...{ maximum: 'number', minimum: 'number', multipleOf: 'number' },
  ...{ maxLength: 'count', minLength: 'count', maxItems: 'count', minItems: 'count' },
  ...{ maxProperties: 'count', minProperties: 'count' },
  ...{
    exclusiveMaximum: 'boolean',
    exclusiveMinimum: 'boolean',
    uniqueItems: 'boolean',
    nullable: 'boolean',
  },
  ...{ enum: 'array', required: 'strings', properties: 'schemaMap', not: 'schema' },
  ...{ allOf: 'schemas', anyOf: 'schemas', oneOf: 'schemas' },
};

const extensionShapes: Readonly<Record<string, Shape>> = {
  'preserve-unknown-fields': 'boolean',
  'embedded-resource': 'boolean',
  'int-or-string': 'boolean',
  'list-type': 'string',
  'list-map-keys': 'strings',
  'map-type': 'string',
  validations: 'rules',
};

const words: Readonly<Record<Shape, string>> = {
  string: 'a string',
  number: 'a number',
  count: 'a whole number',
  boolean: 'a boolean',
  schema: 'a schema object',
  schemas: 'an array of schema objects',
  schemaMap: 'an object of schema objects',
  strings: 'an array of strings',
  array: 'an array',
  rules: 'an array of rules',
};

/** Errors in the keywords of one node; schemas below it are not looked into. */
export function shapeErrors(schema: JsonObject, path: FieldPath, prefix: string): FieldError[] {
  return errorsOf(Object.entries(schema), ([name, value]) => {
    const known = name.startsWith(prefix) ? extensionShapes : shapes;
    const key = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    const shape = Object.hasOwn(known, key) ? known[key] : undefined;
    if (!shape || value === undefined || value === null || fits(shape, value)) return [];
    return [typeInvalid(path.child(name), value, `must be ${words[shape]}`)];
  });
}

function fits(shape: Shape, value: JsonValue): boolean {
  switch (shape) {
    case 'string':
    case 'boolean':
      return typeof value === shape;
    case 'number':
      return typeof value === 'number' || JSON.isRawJSON(value);
    case 'count':
      return JSON.isRawJSON(value) || Number.isInteger(value);
    case 'schema':
      return isObject(value);
    case 'schemaMap':
      return isObject(value) && Object.values(value).every(isObject);
    case 'schemas':
    case 'rules':
      return Array.isArray(value) && value.every(isObject);
    case 'strings':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'array':
      return Array.isArray(value);
  }
}
