/** Objects with a long list or map: as a write brings them, and as they are stored before it. */
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { deepCopy, isObject } from '../../../src/base/json.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { StatusError } from '../../../src/meta/status.ts';
import type { ServedResource } from '../../../src/registry/types.ts';
import type { Pair, Site } from './sites.ts';
import { schemaOf, setInItems, setSite } from './sites.ts';
import type { Variety } from './values.ts';
import { collectionOf } from './values.ts';

/** What is made long: one list or map, or all of a struct together. */
export interface Target {
  readonly resource: ServedResource;
  readonly sample: JsonObject;
  readonly sites: readonly Site[];
  /** The second of two sites is in the items of the first; then so many items have the rest of the length together. */
  readonly nesting?: Nesting;
}

/** What grows of lists in the items of a list: the number of items, or what each of them holds. */
export type Nesting = 'more items' | 'longer items';

/** Bytes of the objects of one target. All writes use the same ones: making them takes as long as writing them. */
export class LongObjects {
  readonly #target: Target;
  readonly #bodies = new Map<string, Buffer>();
  readonly #stored = new Map<string, ReadonlyMap<string, Buffer>>();

  constructor(target: Target) {
    this.#target = target;
  }

  get name(): string {
    const { metadata } = this.#target.sample;
    const name = isObject(metadata) ? metadata['name'] : undefined;
    return typeof name === 'string' ? name : '';
  }

  /** The body of a write; an apply says nothing of who owns what. */
  body(variety: Variety, length: number, isApply: boolean): Buffer {
    return kept(this.#bodies, `${variety} ${String(length)} ${String(isApply)}`, () => {
      const object = this.#object(variety, length, false);
      return Buffer.from(JSON.stringify(isApply ? unowned(object) : object));
    });
  }

  /** What is stored before a write, by `collection/key`: the items in reverse order. Nothing where no such object can be. */
  stored(variety: Variety, length: number): ReadonlyMap<string, Buffer> {
    const before = variety === 'words' ? variety : 'distinct';
    return kept(this.#stored, `${before} ${String(length)}`, () =>
      stored(this.#target.resource, this.name, this.#object(before, length, true)),
    );
  }

  #object(variety: Variety, length: number, isReversed: boolean): JsonObject {
    const { sample, sites, nesting } = this.#target;
    const object = structuredClone(sample);
    if (nesting) return nest(object, sites as Pair['sites'], { variety, length, nesting });
    for (const site of sites) {
      const value = collectionOf(site.field, schemaOf(site), variety, Math.ceil(length / sites.length));
      if (value !== undefined) setSite(object, site, isReversed ? reversed(value) : value);
    }
    return object;
  }
}

function kept<T>(all: Map<string, T>, key: string, make: () => T): T {
  const value = all.get(key) ?? make();
  all.set(key, value);
  return value;
}

/** Items of the nested list that stays short. */
const fewItems = 8;

interface Nest {
  readonly variety: Variety;
  readonly length: number;
  readonly nesting: Nesting;
}

function nest(
  object: JsonObject,
  [outer, inner]: Pair['sites'],
  { variety, length, nesting }: Nest,
): JsonObject {
  const many = Math.ceil(length / fewItems);
  const [items, held] = nesting === 'more items' ? [many, fewItems] : [fewItems, many];
  const outerVariety = variety === 'words' ? 'distinct' : variety;
  const around = collectionOf(outer.field, schemaOf(outer), outerVariety, items);
  if (around !== undefined) setSite(object, outer, around);
  setInItems(object, [outer, inner], () => collectionOf(inner.field, schemaOf(inner), variety, held) ?? []);
  return object;
}

function unowned(object: JsonObject): JsonObject {
  const { managedFields: _fields, ...metadata } = isObject(object['metadata']) ? object['metadata'] : {};
  return { ...object, metadata };
}

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.toReversed();
  return isObject(value) ? Object.fromEntries(Object.entries(value).reverse()) : value;
}

function stored(resource: ServedResource, name: string, object: JsonObject): ReadonlyMap<string, Buffer> {
  try {
    return new Map([storedAt(resource, name, object)]);
  } catch (error) {
    if (error instanceof StatusError) return new Map();
    throw error;
  }
}

function storedAt(resource: ServedResource, name: string, object: JsonObject): [string, Buffer] {
  const { value } = resource.structure(deepCopy(object));
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  const namespace = resource.namespaced ? { namespace: 'default' } : {};
  const inStorage = resource.conversion.toInternal({
    ...value,
    metadata: { ...metadata, ...namespace, name, uid: 'u' },
  });
  const key = resource.namespaced ? `default/${name}` : name;
  return [`${resource.storage.collection}/${key}`, encodeStored(inStorage)];
}
