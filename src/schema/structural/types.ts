/**
 * A custom resource's schema as it is used: what of OpenAPI v3 shapes, defaults and merges a value. What judges it
 * (`minimum`, `pattern`, `anyOf`…) is read from `raw` by `validate.ts`.
 */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import { LazyMap, namesOf } from '../../base/lazy-map.ts';

export type StructuralType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

export interface Structural {
  /** Absent: any type. */
  readonly type: StructuralType | undefined;
  readonly description: string;
  readonly nullable: boolean;
  readonly properties: ReadonlyMap<string, Structural>;
  /** Those of the properties that have a default themselves. */
  readonly defaulted: readonly (readonly [name: string, property: Structural])[];
  /** What members are that `properties` does not name; `true`: anything; undefined: there are none. */
  readonly additional: Structural | true | undefined;
  readonly items: Structural | undefined;
  readonly defaultValue: JsonValue | undefined;
  /** Something at or below this node has a default. */
  readonly holdsDefaults: boolean;
  /** Members that nothing describes are kept. */
  readonly preserveUnknown: boolean;
  /** A whole object: its apiVersion, kind and metadata are always known. */
  readonly embedded: boolean;
  readonly intOrString: boolean;
  readonly listType: 'atomic' | 'set' | 'map';
  readonly listMapKeys: readonly string[];
  readonly mapType: 'granular' | 'atomic';
  /** The schema as it was written. */
  readonly raw: JsonObject;
}

/** Members that every whole object has. */
export const envelopeFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

const types: ReadonlySet<string> = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean']);

/**
 * Reads a schema that was found valid; of others, what can be read. Nodes are read when they are looked at: a schema may
 * have fifteen thousand, and an object a few of their fields.
 * @param prefix of extensions (`x-…-`), as the naming profile spells it
 * @param known nodes that were read before, for callers that read parts of the same schema again
 */
export function readStructural(
  raw: JsonObject,
  prefix: string,
  known: Map<JsonObject, Structural> = new Map(),
): Structural {
  return new SchemaReading(prefix, known).node(raw);
}

/**
 * The same, in steps: looks at every node for defaults, which a node is asked for that is used, and which takes
 * milliseconds for thousands of fields.
 */
export function* readInSteps(raw: JsonObject, prefix: string): Generator<void, Structural, void> {
  const reading = new SchemaReading(prefix, new Map());
  yield* reading.findDefaults(raw);
  return reading.node(raw);
}

/** What the nodes of a schema share. */
class SchemaReading {
  readonly prefix: string;
  readonly #known: Map<JsonObject, Structural>;
  readonly #holding = new Map<JsonObject, boolean>();

  constructor(prefix: string, known: Map<JsonObject, Structural>) {
    this.prefix = prefix;
    this.#known = known;
  }

  node(raw: JsonObject): Structural {
    let node = this.#known.get(raw);
    if (!node) this.#known.set(raw, (node = new RawStructural(raw, this)));
    return node;
  }

  /** Whether something at or below has a default. Worked out once: every node above asks. */
  holdsDefaults(raw: JsonObject): boolean {
    if (raw['default'] !== undefined) return true;
    let holds = this.#holding.get(raw);
    if (holds === undefined) this.#holding.set(raw, (holds = this.#hasDefaultBelow(raw)));
    return holds;
  }

  /** Works it out for all nodes, those below others first. @returns whether something at or below has one */
  *findDefaults(raw: JsonObject): Generator<void, boolean, void> {
    const properties = objectOr(raw['properties']);
    let holds = false;
    for (const name of Object.keys(properties)) if (yield* this.#findIn(properties[name])) holds = true;
    if (yield* this.#findIn(raw['items'])) holds = true;
    if (yield* this.#findIn(raw['additionalProperties'])) holds = true;
    this.#holding.set(raw, holds);
    yield;
    return holds || raw['default'] !== undefined;
  }

  *#findIn(value: JsonValue | undefined): Generator<void, boolean, void> {
    return isObject(value) && (yield* this.findDefaults(value));
  }

  #hasDefaultBelow(raw: JsonObject): boolean {
    const holds = (value: JsonValue | undefined): boolean => isObject(value) && this.holdsDefaults(value);
    const properties = objectOr(raw['properties']);
    for (const name of Object.keys(properties)) if (holds(properties[name])) return true;
    return holds(raw['items']) || holds(raw['additionalProperties']);
  }
}

class RawStructural implements Structural {
  readonly raw: JsonObject;
  readonly type: StructuralType | undefined;
  readonly nullable: boolean;
  readonly preserveUnknown: boolean;
  readonly embedded: boolean;
  readonly intOrString: boolean;
  readonly #reading: SchemaReading;
  #properties: ReadonlyMap<string, Structural> | undefined;
  #defaulted: Structural['defaulted'] | undefined;

  constructor(raw: JsonObject, reading: SchemaReading) {
    this.raw = raw;
    this.#reading = reading;
    this.type = isType(raw['type']) ? raw['type'] : undefined;
    this.nullable = raw['nullable'] === true;
    this.preserveUnknown = this.#extension('preserve-unknown-fields') === true;
    this.embedded = this.#extension('embedded-resource') === true;
    this.intOrString = this.#extension('int-or-string') === true;
  }

  get description(): string {
    const text = this.raw['description'];
    return typeof text === 'string' ? text : '';
  }

  get properties(): ReadonlyMap<string, Structural> {
    return (this.#properties ??= this.#readProperties());
  }

  get defaulted(): Structural['defaulted'] {
    return (this.#defaulted ??= this.#findDefaulted());
  }

  get additional(): Structural | true | undefined {
    const value = this.raw['additionalProperties'];
    return value === true ? true : this.#read(value);
  }

  get items(): Structural | undefined {
    return this.#read(this.raw['items']);
  }

  get defaultValue(): JsonValue | undefined {
    return this.raw['default'];
  }

  get holdsDefaults(): boolean {
    return this.#reading.holdsDefaults(this.raw);
  }

  get listType(): Structural['listType'] {
    const listType = this.#extension('list-type');
    return listType === 'set' || listType === 'map' ? listType : 'atomic';
  }

  get listMapKeys(): readonly string[] {
    const keys = this.#extension('list-map-keys');
    return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
  }

  get mapType(): Structural['mapType'] {
    return this.#extension('map-type') === 'atomic' ? 'atomic' : 'granular';
  }

  #extension(name: string): JsonValue | undefined {
    return getOwn(this.raw, this.#reading.prefix + name);
  }

  #read(value: JsonValue | undefined): Structural | undefined {
    return isObject(value) ? this.#reading.node(value) : undefined;
  }

  #readProperties(): ReadonlyMap<string, Structural> {
    const all = objectOr(this.raw['properties']);
    return new LazyMap(namesOf(all), (name) => this.#read(all[name]) ?? this.#reading.node({}));
  }

  #findDefaulted(): Structural['defaulted'] {
    const all = objectOr(this.raw['properties']);
    const names = Object.keys(all).filter((name) => {
      const property = all[name];
      return isObject(property) && property['default'] !== undefined;
    });
    return names.flatMap((name) => {
      const property = this.properties.get(name);
      return property ? [[name, property] as const] : [];
    });
  }
}

function isType(value: JsonValue | undefined): value is StructuralType {
  return typeof value === 'string' && types.has(value);
}

export function objectOr(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The schema of a member; undefined when nothing describes it. */
export function memberOf(node: Structural, name: string): Structural | undefined {
  return node.properties.get(name) ?? (node.additional === true ? undefined : node.additional);
}

/** A null that says nothing: it is taken as absent. */
export function isIdleNull(value: JsonValue | undefined, node: Structural | undefined): boolean {
  return value === null && node?.nullable === false;
}
