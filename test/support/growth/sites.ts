/** Every list and map that objects of a kind may have, and how to make one long, whatever stands around it. */
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { isObject, setOwn } from '../../../src/base/json.ts';
import type { Field, Schema, StructSchema } from '../../../src/schema/types.ts';
import { valueOf } from './values.ts';

/** A step towards a list or map: a field, or an item of a list or map on the way. */
type Step = { readonly field: Field; readonly owner: string } | 'item';

export interface Site {
  /** `spec.containers[].ports` */
  readonly path: string;
  /** The struct and field that it is: `core/v1.Container ports`. */
  readonly place: string;
  readonly steps: readonly Step[];
  readonly field: Field;
}

/** Types may hold themselves (schemas of custom resources): once is enough. */
const maxRepetitions = 1;

/** All lists and maps of a struct, nested ones too. */
export function sitesOf(schema: StructSchema): Site[] {
  const sites: Site[] = [];
  visit(schema, { steps: [], path: '', around: [] }, sites);
  return sites;
}

interface Place {
  readonly steps: readonly Step[];
  readonly path: string;
  /** Names of the structs that it is in. */
  readonly around: readonly string[];
}

function visit(struct: StructSchema, place: Place, sites: Site[]): void {
  if (place.around.filter((name) => name === struct.name).length >= maxRepetitions) return;
  const around = [...place.around, struct.name];
  for (const field of struct.fields.values()) {
    const steps = [...place.steps, { field, owner: struct.name }];
    const path = place.path === '' ? field.name : `${place.path}.${field.name}`;
    descend(field.schema, { steps, path, around }, { sites, field, owner: struct.name });
  }
}

interface Found {
  readonly sites: Site[];
  readonly field: Field;
  readonly owner: string;
}

function descend(schema: Schema, place: Place, found: Found): void {
  const { steps, path } = place;
  if (schema.type === 'struct') visit(schema, place, found.sites);
  if (schema.type !== 'list' && schema.type !== 'map') return;
  found.sites.push({ path, steps, field: found.field, place: `${found.owner} ${path.replace(/^.*\./, '')}` });
  const inner = schema.type === 'list' ? schema.items : schema.values;
  descend(inner, { ...place, steps: [...steps, 'item'], path: `${path}[]` }, found);
}

/** The lists and maps that stand beside each other in one struct, where there are several. */
export function neighbours(sites: readonly Site[]): Site[][] {
  const structs = Map.groupBy(
    sites.filter(({ path }) => !path.endsWith(']')),
    ({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('.'))),
  );
  return [...structs.values()].filter(({ length }) => length > 1);
}

/** Two lists or maps of one object that a rule may hold against each other. */
export interface Pair {
  readonly sites: readonly [Site, Site];
  /** The second is in the items of the first. */
  readonly isNested: boolean;
}

/**
 * Those that stand in the same item (or in none), with any structs between them, those of which one stands in an item
 * of a list beside the other, and lists with the lists of their items.
 */
export function pairsOf(sites: readonly Site[]): Pair[] {
  const own = sites.filter(({ path }) => !path.endsWith(']'));
  return own.flatMap((second, i) => {
    const around = aroundOf(second);
    const beside = own.filter((first, k) => {
      const isNear = aroundOf(first) === around ? k < i : aroundOf(first) === aroundOf({ path: around });
      return isNear && first.path !== around;
    });
    const outer = own.filter(({ path }) => path === around);
    return [
      ...beside.map((first): Pair => ({ sites: [first, second], isNested: false })),
      ...outer.map((first): Pair => ({ sites: [first, second], isNested: true })),
    ];
  });
}

/** The list or map in whose items a place is: `spec.containers` of `spec.containers[].ports`. */
function aroundOf({ path }: { readonly path: string }): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('[]')));
}

/** The schema of the list or map itself, behind the lists that it is in. */
export function schemaOf({ field, steps }: Site): Schema {
  let schema = field.schema;
  for (let i = steps.length - 1; steps[i] === 'item'; i -= 1) {
    if (schema.type === 'list') schema = schema.items;
    else if (schema.type === 'map') schema = schema.values;
  }
  return schema;
}

/** Sets the list or map of a site; what is missing on the way is made. Mutates. */
export function setSite(object: JsonObject, { steps }: Site, value: JsonValue): void {
  put(object, steps, value);
}

/** Sets the list or map of a site in every item of another that it is in. Mutates. */
export function setInItems(object: JsonObject, [outer, inner]: Pair['sites'], value: () => JsonValue): void {
  const rest = inner.steps.slice(outer.steps.length + 1);
  for (const item of itemsAt(object, outer)) if (isObject(item)) put(item, rest, value());
}

function itemsAt(object: JsonObject, { path }: Site): JsonValue[] {
  let value: JsonValue = object;
  for (const step of path.split(/\.|(?=\[\])/))
    value = (step === '[]' ? membersOf(value)[0] : isObject(value) ? value[step] : undefined) ?? null;
  return membersOf(value);
}

function membersOf(value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value).map((member) => member ?? null) : [];
}

function put(object: JsonObject, steps: readonly Step[], value: JsonValue): void {
  const [step, ...rest] = steps;
  if (step === undefined || step === 'item') return;
  const { field } = step;
  const depth = rest.findIndex((next) => next !== 'item');
  const isLast = depth < 0;
  const items = isLast ? rest.length : depth;
  let schema = field.schema;
  let inner: JsonValue = object[field.name] ?? (isLast && items === 0 ? value : emptyOf(schema));
  setOwn(object, field.name, isLast && items === 0 ? value : inner);
  // Lists on the way get one item, maps one member.
  for (let i = 0; i < items; i += 1) {
    schema = schema.type === 'list' ? schema.items : schema.type === 'map' ? schema.values : schema;
    const isValue = isLast && i === items - 1;
    inner = isValue ? setFirst(inner, value) : firstOf(inner, schema);
  }
  if (!isLast && isObject(inner)) put(inner, rest.slice(items), value);
}

function emptyOf(schema: Schema): JsonValue {
  if (schema.type === 'list') return [];
  return schema.type === 'struct' ? valueOf(schema, { position: 0, isFull: false }) : {};
}

function firstOf(collection: JsonValue, schema: Schema): JsonValue {
  if (Array.isArray(collection)) {
    if (collection.length === 0) collection.push(valueOf(schema, { position: 0, isFull: true }));
    return collection[0] ?? null;
  }
  return isObject(collection)
    ? (collection[Object.keys(collection)[0] ?? ''] ??
        setFirst(collection, valueOf(schema, { position: 0, isFull: true })))
    : null;
}

function setFirst(collection: JsonValue, value: JsonValue): JsonValue {
  if (Array.isArray(collection)) collection[0] = value;
  else if (isObject(collection)) setOwn(collection, 'first', value);
  return value;
}
