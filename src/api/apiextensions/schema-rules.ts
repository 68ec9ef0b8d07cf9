/** Which of OpenAPI v3 a custom resource's schema may use, and how its extensions go together. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import {
  duplicate,
  errorsOf,
  forbidden,
  invalid,
  notSupported,
  required,
  tooMany,
} from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';
import { maxPatternCost, patternOf, type PatternBudget } from '../../schema/structural/pattern.ts';
import { shapeErrors } from './schema-shape.ts';
import type { Placed } from './schema-walk.ts';
import { junctorsOf, childSchemas } from './schema-walk.ts';

export interface SchemaRules {
  /** Prefix of extensions. */
  readonly prefix: string;
  /** Objects are pruned, so defaults may be given. */
  readonly mayDefault: boolean;
  /** Of the patterns of all versions. */
  readonly patterns: PatternBudget;
  /** Most properties that an object in the definition had; 0 for a new one. A walk through all of it, for those beyond the limit. */
  readonly propertiesBefore: () => number;
}

/**
 * Properties of an object. `Object.keys` of so many takes 5 ms, and 20 of 90,000, in one step. The reference has no such
 * limit; the largest known object has some hundred.
 */
const mostProperties = 20_000;

const schemaTypes = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const listTypes = ['atomic', 'map', 'set'];
const mapTypes = ['atomic', 'granular'];
const scalarTypes: ReadonlySet<string> = new Set(['boolean', 'integer', 'number', 'string']);

/** Keywords that no custom resource may use. */
const bannedKeywords: Readonly<Record<string, string>> = {
  id: 'id is not supported',
  $ref: '$ref is not supported',
  definitions: 'definitions is not supported',
  dependencies: 'dependencies is not supported',
  patternProperties: 'patternProperties is not supported',
  additionalItems: 'additionalItems is not supported',
};

/** Errors in a schema and in all schemas below it. */
export function schemaErrors(placed: Placed, rules: SchemaRules): FieldError[] {
  const { schema, path } = placed;
  const shape = shapeErrors(schema, path, rules.prefix);
  if (shape.length > 0) return shape;
  const wide = widthErrors(schema, path, rules);
  if (wide.length > 0) return wide;
  return [
    ...keywordErrors(schema, path),
    ...patternErrors(schema['pattern'], path.child('pattern'), rules.patterns),
    ...typeErrors(schema, path),
    ...objectErrors(schema, path),
    ...extensionErrors(placed, rules),
    ...listErrors(placed, rules),
    ...(schema['default'] !== undefined && !rules.mayDefault
      ? [forbidden(path.child('default'), 'must not be set')]
      : []),
    ...errorsOf([...childSchemas(placed), ...junctorsOf(placed)], (part) => schemaErrors(part, rules)),
  ];
}

function widthErrors(
  { properties }: JsonObject,
  path: FieldPath,
  { propertiesBefore }: SchemaRules,
): FieldError[] {
  const count = isObject(properties) ? Object.keys(properties).length : 0;
  if (count <= mostProperties || count <= propertiesBefore()) return [];
  return [tooMany(path.child('properties'), count, mostProperties)];
}

function keywordErrors(schema: JsonObject, path: FieldPath): FieldError[] {
  const banned = Object.entries(bannedKeywords)
    .filter(([name]) => isGiven(schema[name]))
    .map(([name, problem]) => forbidden(path.child(name), problem));
  return [
    ...banned,
    ...(schema['uniqueItems'] === true
      ? [
          forbidden(
            path.child('uniqueItems'),
            'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
          ),
        ]
      : []),
  ];
}

function patternErrors(pattern: JsonValue | undefined, path: FieldPath, budget: PatternBudget): FieldError[] {
  if (typeof pattern !== 'string' || pattern === '') return [];
  if (!budget.takes(pattern))
    return [
      forbidden(
        path,
        `the patterns of a definition may take ${String(maxPatternCost)} instructions together: use fewer, or smaller repetitions`,
      ),
    ];
  return patternOf(pattern) ? [] : [invalid(path, pattern, 'must be a regular expression of RE2')];
}

function isGiven(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return false;
  return !isObject(value) || Object.keys(value).length > 0;
}

function typeErrors({ type, items }: JsonObject, path: FieldPath): FieldError[] {
  const at = path.child('type');
  const wrongType =
    type === 'null'
      ? [forbidden(at, 'type cannot be set to null, use nullable as an alternative')]
      : typeof type === 'string' && type !== '' && !schemaTypes.includes(type)
        ? [notSupported(at, type, schemaTypes)]
        : [];
  const wrongItems =
    items === undefined || items === null || isObject(items)
      ? []
      : [forbidden(path.child('items'), 'items must be a schema object and not an array')];
  return [...wrongType, ...wrongItems];
}

function objectErrors({ properties, additionalProperties }: JsonObject, path: FieldPath): FieldError[] {
  const at = path.child('additionalProperties');
  if (additionalProperties === false) return [forbidden(at, 'additionalProperties cannot be set to false')];
  const both = isObject(properties) && Object.keys(properties).length > 0 && isGiven(additionalProperties);
  return both ? [forbidden(at, 'additionalProperties and properties are mutual exclusive')] : [];
}

function extensionErrors({ schema, path }: Placed, { prefix }: SchemaRules): FieldError[] {
  const preserve = `${prefix}preserve-unknown-fields`;
  const mapType = schema[`${prefix}map-type`];
  const at = path.child(`${prefix}map-type`);
  return [
    ...(schema[preserve] === false
      ? [invalid(path.child(preserve), false, 'must be true or undefined')]
      : []),
    ...(typeof mapType === 'string' && !mapTypes.includes(mapType)
      ? [notSupported(at, mapType, mapTypes)]
      : []),
    ...(typeof mapType === 'string' && schema['type'] !== 'object'
      ? [
          invalid(
            path.child('type'),
            schema['type'] ?? '',
            `must be object if ${prefix}map-type is specified`,
          ),
        ]
      : []),
  ];
}

function listErrors(placed: Placed, { prefix }: SchemaRules): FieldError[] {
  const { schema, path } = placed;
  const listType = schema[`${prefix}list-type`];
  const keys = stringsIn(schema[`${prefix}list-map-keys`]);
  const typePath = path.child(`${prefix}list-type`);
  const keysPath = path.child(`${prefix}list-map-keys`);
  if (typeof listType !== 'string' || listType === '') {
    return keys.length > 0
      ? [invalid(typePath, '', `must be map if ${prefix}list-map-keys is non-empty`)]
      : [];
  }
  if (!listTypes.includes(listType)) return [notSupported(typePath, listType, listTypes)];
  const array =
    schema['type'] === 'array'
      ? []
      : [
          invalid(
            path.child('type'),
            schema['type'] ?? '',
            `must be array if ${prefix}list-type is specified`,
          ),
        ];
  if (listType === 'map') return [...array, ...mapListErrors(placed, keys, keysPath)];
  const surplus =
    keys.length > 0
      ? [invalid(typePath, listType, `must be map if ${prefix}list-map-keys is non-empty`)]
      : [];
  return [...array, ...surplus, ...(listType === 'set' ? setErrors(placed, prefix) : [])];
}

function stringsIn(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Items of a map list are objects; their keys are scalars that every item has. */
function mapListErrors({ schema, path }: Placed, keys: readonly string[], keysPath: FieldPath): FieldError[] {
  if (keys.length === 0) return [required(keysPath, 'must not be empty if the list type is map')];
  const items = isObject(schema['items']) ? schema['items'] : {};
  const at = path.child('items');
  if (items['type'] !== 'object')
    return [
      invalid(at.child('type'), items['type'] ?? '', "must be object if parent array's list type is map"),
    ];
  const seen = new Set<string>();
  const needed = new Set(stringsIn(items['required']));
  return errorsOf(keys, (key, i) => {
    const isRepeated = seen.has(key);
    seen.add(key);
    return isRepeated
      ? [duplicate(keysPath.index(i), key)]
      : keyErrors(key, { items, needed }, { at, keyPath: keysPath.index(i) });
  });
}

function keyErrors(
  key: string,
  { items, needed }: { readonly items: JsonObject; readonly needed: ReadonlySet<string> },
  { at, keyPath }: { readonly at: FieldPath; readonly keyPath: FieldPath },
): FieldError[] {
  const properties = isObject(items['properties']) ? items['properties'] : {};
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  if (!isObject(property)) return [invalid(keyPath, key, 'entries must all be names of item properties')];
  const { type } = property;
  const place = at.child('properties').key(key);
  const isMissing = property['default'] === undefined && !needed.has(key);
  return [
    ...(typeof type === 'string' && !scalarTypes.has(type)
      ? [invalid(place.child('type'), type, "must be a scalar type if parent array's list type is map")]
      : []),
    ...(isMissing
      ? [
          required(
            place.child('default'),
            'this property is in the list map keys, so it must have a default or be a required property',
          ),
        ]
      : []),
  ];
}

/** Items of a set are scalars, or collections that are owned as one. */
function setErrors({ schema, path }: Placed, prefix: string): FieldError[] {
  const items = isObject(schema['items']) ? schema['items'] : {};
  const at = path.child('items');
  const nullable =
    items['nullable'] === true
      ? [forbidden(at.child('nullable'), "cannot be nullable when parent array's list type is set")]
      : [];
  if (items['type'] === 'object' && items[`${prefix}map-type`] !== 'atomic')
    return [
      ...nullable,
      invalid(at.child(`${prefix}map-type`), '', 'must be atomic as item of a list with list type set'),
    ];
  const listType = items[`${prefix}list-type`];
  if (items['type'] === 'array' && typeof listType === 'string' && listType !== 'atomic')
    return [
      ...nullable,
      invalid(
        at.child(`${prefix}list-type`),
        listType,
        'must be atomic as item of a list with list type set',
      ),
    ];
  return nullable;
}
