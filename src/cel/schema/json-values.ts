/** Values of objects as expressions see them: JSON is converted where an expression looks, and nowhere else. */
import { canonicalJson } from '../../base/canonical-json.ts';
import type { JsonArray, JsonObject, JsonValue } from '../../base/json.ts';
import { getOwn, isObject } from '../../base/json.ts';
import { EvaluationError } from '../language/errors.ts';
import type { CelType } from '../language/types.ts';
import type { CelValue, ListRules, Worked } from '../language/values.ts';
import { CelList, CelMap, CelStruct, mapKeyOf } from '../language/values.ts';
import { readDuration, readTimestamp } from '../library/time-text.ts';
import type {
  Declaration,
  ListDeclaration,
  MapDeclaration,
  ObjectDeclaration,
  ScalarKind,
} from './declaration.ts';

/** @throws EvaluationError if the value is not of the declared type, which validation by the schema reports */
export function toCel(value: JsonValue, declaration: Declaration): CelValue {
  if (value === null) return null;
  const { kind } = declaration;
  if (kind === 'object' && isObject(value)) return new JsonStruct(value, declaration);
  if (kind === 'list' && Array.isArray(value)) return new JsonList(value, declaration);
  if (kind === 'map' && isObject(value)) return new JsonMap(value, declaration);
  if (kind === 'dyn') return anyToCel(value);
  if (kind === 'object' || kind === 'list' || kind === 'map') return mismatch(declaration);
  return scalarToCel(value, kind) ?? mismatch(declaration);
}

function scalarToCel(value: JsonValue, kind: Exclude<ScalarKind, 'dyn'>): CelValue | undefined {
  switch (kind) {
    case 'int':
      return wholeToCel(value);
    case 'double':
      return doubleToCel(value);
    case 'bool':
      return typeof value === 'boolean' ? value : undefined;
    case 'string':
    case 'bytes':
    case 'timestamp':
    case 'date':
    case 'duration':
      return typeof value === 'string' ? textToCel(value, kind) : undefined;
  }
}

function mismatch({ kind }: Declaration): never {
  throw new EvaluationError(`invalid data, expected a value of type ${kind}`);
}

function textToCel(text: string, kind: 'string' | 'bytes' | 'timestamp' | 'date' | 'duration'): CelValue {
  switch (kind) {
    case 'string':
      return text;
    case 'bytes':
      return Buffer.from(text, 'base64');
    case 'duration':
      return readDuration(text);
    case 'date':
      return readTimestamp(`${text}T00:00:00Z`);
    case 'timestamp':
      return readTimestamp(text.replace(' ', 'T'));
  }
}

function wholeToCel(value: JsonValue): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  return JSON.isRawJSON(value) && /^-?[0-9]{1,40}$/.test(value.rawJSON) ? BigInt(value.rawJSON) : undefined;
}

function doubleToCel(value: JsonValue): number | undefined {
  if (typeof value === 'number') return value;
  return JSON.isRawJSON(value) ? Number(value.rawJSON) : undefined;
}

/** A value that nothing declares: numbers are whole where they can be. */
export function anyToCel(value: JsonValue): CelValue {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return new JsonList(value, undefined);
  if (isObject(value)) return new JsonMap(value, undefined);
  return wholeToCel(value) ?? doubleToCel(value) ?? null;
}

class JsonList extends CelList {
  override readonly rules: ListRules | undefined;
  private readonly list: JsonArray;
  private readonly declaration: ListDeclaration | undefined;

  constructor(list: JsonArray, declaration: ListDeclaration | undefined) {
    super();
    this.list = list;
    this.declaration = declaration;
    this.rules = declaration && rulesOf(declaration);
  }

  get size(): number {
    return this.list.length;
  }

  at(place: number): CelValue {
    const item = this.list[place] ?? null;
    return this.declaration ? toCel(item, this.declaration.item) : anyToCel(item);
  }
}

const knownRules = new WeakMap<ListDeclaration, ListRules>();

/** Items of sets are what they are; those of maps are told apart by their keys. */
function rulesOf(declaration: ListDeclaration): ListRules | undefined {
  if (declaration.listType === 'atomic') return undefined;
  const known = knownRules.get(declaration);
  if (known) return known;
  const { listType, keys } = declaration;
  const rules: ListRules = {
    identityOf: (item, run) => (listType === 'map' ? keyOf(item, keys, run) : textOfItem(item, run)),
  };
  knownRules.set(declaration, rules);
  return rules;
}

function keyOf(item: CelValue, keys: readonly string[], run: Worked): string {
  if (!(item instanceof CelStruct)) return textOfItem(item, run);
  return JSON.stringify(keys.map((key) => textOfItem(item.field(key) ?? null, run)));
}

/** Letters of a text that are one piece of work. */
const lettersOfWork = 64;

function textOfItem(item: CelValue, run: Worked): string {
  if (item instanceof JsonStruct || item instanceof JsonMap) return `j${item.identity(run)}`;
  const key = mapKeyOf(item);
  if (typeof key === 'string') run.work(key.length / lettersOfWork);
  return `${typeof key}:${String(key)}`;
}

function identityIn(run: Worked, object: JsonObject): string {
  return canonicalJson(object, () => {
    run.work(1);
  });
}

class JsonMap extends CelMap {
  private readonly object: JsonObject;
  private readonly declaration: MapDeclaration | undefined;
  /** Worked out once: an expression may ask for each entry. */
  private known: readonly string[] | undefined;

  constructor(object: JsonObject, declaration: MapDeclaration | undefined) {
    super();
    this.object = object;
    this.declaration = declaration;
  }

  get size(): number {
    return this.names().length;
  }

  keys(): Iterable<CelValue> {
    return this.names();
  }

  private names(): readonly string[] {
    this.known ??= Object.keys(this.object).filter((name) => this.object[name] !== undefined);
    return this.known;
  }

  get(key: CelValue): CelValue | undefined {
    const value = typeof key === 'string' ? getOwn(this.object, key) : undefined;
    if (value === undefined) return undefined;
    return this.declaration ? toCel(value, this.declaration.value) : anyToCel(value);
  }

  identity(run: Worked): string {
    return identityIn(run, this.object);
  }
}

class JsonStruct extends CelStruct {
  private readonly object: JsonObject;
  private readonly declaration: ObjectDeclaration;

  constructor(object: JsonObject, declaration: ObjectDeclaration) {
    super();
    this.object = object;
    this.declaration = declaration;
  }

  override get width(): number {
    return this.declaration.fields.size;
  }

  get type(): CelType {
    return this.declaration.type;
  }

  *names(): Iterable<string> {
    for (const [identifier, { name }] of this.declaration.fields)
      if (getOwn(this.object, name) !== undefined) yield identifier;
  }

  field(identifier: string): CelValue | undefined {
    const field = this.declaration.fields.get(identifier);
    if (!field) return undefined;
    const value = getOwn(this.object, field.name);
    return value === undefined ? undefined : toCel(value, field.declaration);
  }

  identity(run: Worked): string {
    return identityIn(run, this.object);
  }
}
