/**
 * A custom resource's schema as it is used: what of OpenAPI v3 shapes, defaults and merges a value. What judges it
 * (`minimum`, `pattern`, `anyOf`…) is read from `raw` by `validate.ts`.
 */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';

export type StructuralType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';

export interface Structural {
  /** Absent: any type. */
  readonly type: StructuralType | undefined;
  readonly description: string;
  readonly nullable: boolean;
  readonly properties: ReadonlyMap<string, Structural>;
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
 * Reads a schema that was found valid; of others, what can be read.
 * @param prefix of extensions (`x-…-`), as the naming profile spells it
 * @param known nodes that were read before, for callers that read parts of the same schema again
 */
export function readStructural(
  raw: JsonObject,
  prefix: string,
  known: Map<JsonObject, Structural> = new Map(),
): Structural {
  const found = known.get(raw);
  if (found) return found;
  const node = readNode(raw, prefix, known);
  known.set(raw, node);
  return node;
}

function readNode(raw: JsonObject, prefix: string, known: Map<JsonObject, Structural>): Structural {
  const read = (value: JsonValue | undefined): Structural | undefined =>
    isObject(value) ? readStructural(value, prefix, known) : undefined;
  const extension = (name: string): JsonValue | undefined => getOwn(raw, prefix + name);
  const properties = new Map<string, Structural>();
  for (const [name, property] of Object.entries(objectOr(raw['properties']))) {
    properties.set(name, read(property) ?? readStructural({}, prefix, known));
  }
  const additional = raw['additionalProperties'] === true ? true : read(raw['additionalProperties']);
  const items = read(raw['items']);
  const listType = extension('list-type');
  const keys = extension('list-map-keys');
  const below = [...properties.values(), items, additional === true ? undefined : additional];
  return {
    type: isType(raw['type']) ? raw['type'] : undefined,
    description: typeof raw['description'] === 'string' ? raw['description'] : '',
    nullable: raw['nullable'] === true,
    properties,
    additional,
    items,
    defaultValue: raw['default'],
    holdsDefaults: raw['default'] !== undefined || below.some((node) => node?.holdsDefaults === true),
    preserveUnknown: extension('preserve-unknown-fields') === true,
    embedded: extension('embedded-resource') === true,
    intOrString: extension('int-or-string') === true,
    listType: listType === 'set' || listType === 'map' ? listType : 'atomic',
    listMapKeys: Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [],
    mapType: extension('map-type') === 'atomic' ? 'atomic' : 'granular',
    raw,
  };
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
