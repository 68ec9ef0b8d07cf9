/**
 * Fields that only other releases know. A stored object may have some: a server of a newer release wrote them, or an older
 * one. Requests neither see nor set them in a patch or an update, and what is stored keeps them.
 */
import type { JsonArray, JsonObject, JsonValue } from '../base/json.ts';
import { deepEqual, getOwn, isObject, setOwn } from '../base/json.ts';
import { plannedBy } from './schema-plan.ts';
import type { ListSchema, Schema, StructSchema } from './types.ts';

/** The object without such fields; itself if it has none. */
export function withoutOtherReleases(schema: StructSchema, object: JsonObject): JsonObject {
  return without(nodeOf(schema), object) as JsonObject;
}

/**
 * Takes over such fields from the object before. Members of a map are matched by key, items of a list by the keys of the
 * list, else by place if they are the same apart from such fields. Mutates `next`, but nothing that it shares with
 * `before`.
 */
export function keepOtherReleases(schema: StructSchema, next: JsonObject, before: JsonObject): void {
  keep(nodeOf(schema), next, before);
}

/** A node of the schema as these passes see it. */
interface Node {
  readonly type: Schema['type'];
  names: readonly string[];
  /** Members of a struct at or below which there may be such fields. */
  nested: readonly Nested[];
  /** The items of a list, the values of a map. */
  inner: Node | undefined;
  keys: readonly string[];
}

interface Nested {
  readonly name: string;
  readonly node: Node;
}

const nodeOf = plannedBy<Node>({
  create: ({ type }) => ({ type, names: [], nested: [], inner: undefined, keys: [] }),
  fill(node, schema, of): void {
    if (schema.type === 'list') {
      node.inner = of(schema.items);
      node.keys = schema.listMapKeys;
    } else if (schema.type === 'map') node.inner = of(schema.values);
    else if (schema.type === 'struct') fillStruct(node, schema, of);
  },
});

function fillStruct(node: Node, schema: StructSchema, of: (schema: Schema) => Node): void {
  node.names = [...(schema.otherReleases ?? [])];
  node.nested = [...schema.fields.values()]
    .filter((field) => holdsOthers(field.schema))
    .map((field) => ({ name: field.name, node: of(mergedByKey(field.schema, field.patchMergeKey)) }));
}

/** A list that patches merge by a key is matched by it, however apply sees the list. */
function mergedByKey(schema: Schema, key: string): Schema {
  if (schema.type !== 'list' || schema.listMapKeys.length > 0 || key === '') return schema;
  return { ...schema, listMapKeys: [key] } satisfies ListSchema;
}

function holdsOthers(schema: Schema, seen = new Set<Schema>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (schema.type === 'list') return holdsOthers(schema.items, seen);
  if (schema.type === 'map') return holdsOthers(schema.values, seen);
  if (schema.type !== 'struct' || schema.isPlain === true) return false;
  if (schema.otherReleases) return true;
  return [...schema.fields.values()].some((field) => holdsOthers(field.schema, seen));
}

/** The value itself if there is nothing to leave out at or below it. */
function without(node: Node, value: JsonValue): JsonValue {
  if (Array.isArray(value)) return node.type === 'list' ? listWithout(node.inner as Node, value) : value;
  if (!isObject(value)) return value;
  if (node.type === 'map') return mapWithout(node.inner as Node, value);
  return node.type === 'struct' ? structWithout(node, value) : value;
}

function structWithout({ names, nested }: Node, object: JsonObject): JsonObject {
  let result = object;
  for (const { name, node } of nested) {
    const value = getOwn(object, name);
    if (value === undefined) continue;
    const rest = without(node, value);
    if (rest === value) continue;
    if (result === object) result = { ...object };
    setOwn(result, name, rest);
  }
  for (const name of names) {
    if (getOwn(object, name) === undefined) continue;
    if (result === object) result = { ...object };
    Reflect.deleteProperty(result, name);
  }
  return result;
}

function mapWithout(node: Node, map: JsonObject): JsonObject {
  let result = map;
  for (const key of Object.keys(map)) {
    const value = map[key] as JsonValue;
    const rest = without(node, value);
    if (rest === value) continue;
    if (result === map) result = { ...map };
    setOwn(result, key, rest);
  }
  return result;
}

function listWithout(node: Node, list: JsonArray): JsonArray {
  let result = list;
  for (let i = 0; i < list.length; i += 1) {
    const value = list[i] ?? null;
    const rest = without(node, value);
    if (rest === value) continue;
    if (result === list) result = [...list];
    result[i] = rest;
  }
  return result;
}

function keep(node: Node, next: JsonValue, before: JsonValue | undefined): void {
  if (next === before) return;
  if (Array.isArray(next)) {
    if (node.type === 'list' && Array.isArray(before)) keepItems(node, next, before);
  } else if (isObject(next) && isObject(before)) {
    if (node.type === 'struct') keepMembers(node, next, before);
    else if (node.type === 'map') keepValues(node.inner as Node, next, before);
  }
}

function keepMembers({ names, nested }: Node, next: JsonObject, before: JsonObject): void {
  for (const name of names) {
    const value = getOwn(before, name);
    if (value !== undefined && getOwn(next, name) === undefined) setOwn(next, name, value);
  }
  for (const { name, node } of nested) {
    const value = getOwn(next, name);
    if (value !== undefined) keep(node, value, getOwn(before, name));
  }
}

function keepValues(node: Node, next: JsonObject, before: JsonObject): void {
  for (const key of Object.keys(next)) keep(node, next[key] as JsonValue, getOwn(before, key));
}

function keepItems({ inner, keys }: Node, next: JsonArray, before: JsonArray): void {
  const node = inner as Node;
  if (node.type !== 'struct') return;
  const byKey = new Map(keys.length > 0 ? next.map((item) => [keyOf(item, keys), item]) : []);
  for (const [index, item] of before.entries()) {
    // Only items that have something to keep are looked for.
    const rest = without(node, item);
    if (rest === item) continue;
    const match = keys.length > 0 ? withKeyOf(item, { next, index, keys, byKey }) : sameAt(next, index, rest);
    if (match !== undefined) keep(node, match, item);
  }
}

interface Keyed {
  readonly next: JsonArray;
  readonly index: number;
  readonly keys: readonly string[];
  readonly byKey: ReadonlyMap<string, JsonValue>;
}

/** The item at the same place if it has the key, for keys may be there twice, else any. */
function withKeyOf(item: JsonValue, { next, index, keys, byKey }: Keyed): JsonValue | undefined {
  const key = keyOf(item, keys);
  const same = next[index];
  return same !== undefined && keyOf(same, keys) === key ? same : byKey.get(key);
}

function sameAt(next: JsonArray, index: number, rest: JsonValue): JsonValue | undefined {
  const item = next[index];
  return item !== undefined && deepEqual(item, rest) ? item : undefined;
}

function keyOf(item: JsonValue, keys: readonly string[]): string {
  if (!isObject(item)) return '';
  return JSON.stringify(keys.map((key) => getOwn(item, key) ?? null));
}
