/** Values that fit a schema and, as far as names of fields tell, the rules as well: rules beyond the first are reached only so. */
import type { JsonArray, JsonObject, JsonValue } from '../../../src/base/json.ts';
import { setOwn } from '../../../src/base/json.ts';
import type { Field, ScalarSchema, Schema, StructSchema } from '../../../src/schema/types.ts';

export interface Choice {
  /** Values of different positions differ, where the schema has room for it. */
  readonly position: number;
  /** All scalars of a struct are there; else those that it cannot do without. */
  readonly isFull: boolean;
}

/** How the items of a list, or the members of a map, differ from each other. */
export type Variety = 'distinct' | 'bare' | 'equal' | 'words';

export const varieties: readonly Variety[] = ['distinct', 'bare', 'equal', 'words'];

/** A list or map of so many; undefined where the schema knows no such variety. */
export function collectionOf(
  field: Field,
  schema: Schema,
  variety: Variety,
  length: number,
): JsonValue | undefined {
  if (schema.type !== 'list' && schema.type !== 'map') return undefined;
  const inner = schema.type === 'list' ? schema.items : schema.values;
  if (variety === 'bare' && inner.type !== 'struct') return undefined;
  const words = wordsOf(field, inner);
  if (variety === 'words' && words.length === 0) return undefined;
  const item = (i: number): JsonValue =>
    words.length > 0 && variety === 'words'
      ? (words[i % words.length] ?? '')
      : valueOf(inner, { position: variety === 'equal' ? 0 : i, isFull: variety !== 'bare' }, field);
  if (schema.type === 'list') return Array.from({ length }, (_, i) => item(i));
  if (variety === 'equal' || variety === 'words') return mapOf(length, (i) => `k${String(i)}`, item);
  const prefix = variety === 'bare' ? 'k' : 'example.com/k';
  return mapOf(length, (i) => `${prefix}${String(i)}`, item);
}

function wordsOf(field: Field, inner: Schema): readonly string[] {
  if (inner.type !== 'string' || inner.format !== '') return [];
  return field.enumValues.length > 0 ? field.enumValues : ['*', 'a', ''];
}

function mapOf(length: number, key: (i: number) => string, item: (i: number) => JsonValue): JsonObject {
  const map: JsonObject = {};
  for (let i = 0; i < length; i += 1) setOwn(map, key(i), item(i));
  return map;
}

/** A value of a schema; `field` is the one that holds it, or the list that it is in. */
export function valueOf(schema: Schema, choice: Choice, field?: Field): JsonValue {
  switch (schema.type) {
    case 'struct':
      return structOf(schema, choice);
    case 'list':
      return [valueOf(schema.items, choice, field)] satisfies JsonArray;
    case 'map':
      return { [`k${String(choice.position)}`]: valueOf(schema.values, choice, field) };
    case 'any':
      return schema.name.endsWith('FieldsV1')
        ? { 'f:metadata': { 'f:labels': { [`f:k${String(choice.position)}`]: {} } } }
        : { a: choice.position };
    case 'string':
    case 'boolean':
    case 'integer':
    case 'number':
      return scalarOf(schema, choice, field);
  }
}

/** Structs that hold one of several things get the first of them only. */
function structOf(schema: StructSchema, choice: Choice): JsonObject {
  const object: JsonObject = {};
  for (const field of schema.fields.values()) {
    const isFields = field.schema.type === 'any' && field.schema.name.endsWith('FieldsV1');
    if (isFields) setOwn(object, field.name, valueOf(field.schema, choice, field));
    const isScalar = !['struct', 'list', 'map', 'any'].includes(field.schema.type);
    const isNamed = field.name === 'name' || field.name === 'key' || field.name === 'type';
    if (!isScalar || (!choice.isFull && !isNamed)) continue;
    setOwn(object, field.name, scalarOf(field.schema as ScalarSchema, choice, field));
  }
  return object;
}

function scalarOf({ type, format }: ScalarSchema, { position }: Choice, field?: Field): JsonValue {
  if (format === 'quantity') return String((position % 100) + 1);
  if (format === 'int-or-string') return (position % 60_000) + 1;
  if (format === 'byte') return 'YQ==';
  if (format === 'date-time') return '2021-01-01T00:00:00Z';
  if (format === 'micro-time') return '2021-01-01T00:00:00.000000Z';
  if (type === 'boolean') return false;
  if (type !== 'string') return (position % 60_000) + 1;
  const words = field?.enumValues ?? [];
  if (words.length > 0) return words[position % words.length] ?? '';
  return textOf(field?.name ?? '', position);
}

const texts: readonly (readonly [RegExp, (n: string, i: number) => string])[] = [
  [/cidr/i, (_n, i) => `10.${octets(i)}/32`],
  [/^(ip|.*IPs?|address(es)?|loadBalancerSourceRanges)$/, (_n, i) => `10.${octets(i)}`],
  [/path$|paths$|^nonResourceURLs$/i, (n) => `/p${n}`],
  [/^apiVersion$/, () => 'v1'],
  [/url$/i, (n) => `https://example.com/${n}`],
  [/host|domain|driver|signer|provisioner|attacher/i, (n) => `h${n}.example.com`],
  [/finalizers/, (n) => `example.com/f${n}`],
];

function octets(i: number): string {
  return `${String((i >> 16) & 255)}.${String((i >> 8) & 255)}.${String(i & 255)}`;
}

function textOf(name: string, position: number): string {
  const found = texts.find(([pattern]) => pattern.test(name));
  return found ? found[1](String(position), position) : `x${String(position)}`;
}
