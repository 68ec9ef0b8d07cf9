/** The schemas inside a schema, with their places: rules of definitions go down this way. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { FieldPath } from '../../meta/field-path.ts';

export interface Placed {
  readonly schema: JsonObject;
  readonly path: FieldPath;
  /** It is a part of `allOf`: it may have rules, as the schema around it. */
  readonly isAllOf?: boolean;
}

/** Schemas of members, items and further members: those that a value's parts are shaped by. */
export function childSchemas({ schema, path }: Placed): Placed[] {
  const { items, additionalProperties } = schema;
  return [
    ...propertiesOf({ schema, path }).map(([, placed]) => placed),
    ...(isObject(items) ? [{ schema: items, path: path.child('items') }] : []),
    ...(isObject(additionalProperties)
      ? [{ schema: additionalProperties, path: path.child('additionalProperties') }]
      : []),
  ];
}

export function propertiesOf({ schema, path }: Placed): [name: string, placed: Placed][] {
  const { properties } = schema;
  if (!isObject(properties)) return [];
  const at = path.child('properties');
  return Object.entries(properties).flatMap(([name, property]) =>
    isObject(property) ? [[name, { schema: property, path: at.key(name) }]] : [],
  );
}

/** How many properties an object has that has most of them, in all schemas in a value. */
export function mostPropertiesIn(value: JsonValue | undefined): number {
  if (Array.isArray(value))
    return value.reduce((most: number, item) => Math.max(most, mostPropertiesIn(item)), 0);
  if (!isObject(value)) return 0;
  const { properties } = value;
  let most = isObject(properties) ? Object.keys(properties).length : 0;
  for (const name of Object.keys(value)) most = Math.max(most, mostPropertiesIn(value[name]));
  return most;
}

/** Schemas that judge the same value: those of `allOf`, `anyOf`, `oneOf` and `not`. */
export function junctorsOf({ schema, path }: Placed): Placed[] {
  const lists = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) =>
    schemasIn(schema[name]).map((part, i) => ({
      ...{ schema: part, path: path.child(name).index(i), isAllOf: name === 'allOf' },
    })),
  );
  return isObject(schema['not']) ? [...lists, { schema: schema['not'], path: path.child('not') }] : lists;
}

export function schemasIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
