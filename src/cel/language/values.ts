/**
 * Values at run time. A string is a string, a bool a boolean, null is null, an int a bigint and a double a number, so
 * that the two never mix by accident; the rest are classes. Names and keys are data: no value is looked up in a
 * prototype.
 */
import type { CelType } from './types.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listOf,
  mapOf,
  nullType,
  optionalOf,
  stringType,
  timestampType,
  typeOfType,
  uintType,
} from './types.ts';

export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Timestamp
  | Duration
  | TypeValue
  | CelList
  | CelMap
  | CelStruct
  | Optional
  | Opaque;

/** An unsigned integer of 64 bits. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** An instant, in nanoseconds since 1970. */
export class Timestamp {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A span of time, in nanoseconds. */
export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A type as a value: of `type(x)`, and of the names of types. */
export class TypeValue {
  readonly type: CelType;
  constructor(type: CelType) {
    this.type = type;
  }
}

/** What is charged for work. */
export interface Worked {
  /** @throws EvaluationCut */
  work(amount: number): void;
}

/** How lists of an API are merged and compared. */
export interface ListRules {
  /** Order says nothing; items are the same when their identities are. @param run is charged: an item may be large */
  readonly identityOf: (item: CelValue, run: Worked) => string;
}

export abstract class CelList {
  abstract readonly size: number;
  /** Absent: an ordinary list. */
  readonly rules: ListRules | undefined = undefined;
  /** The item at a place between 0 and the size. */
  abstract at(place: number): CelValue;
}

/** A list that an expression made. */
export class NativeList extends CelList {
  readonly items: readonly CelValue[];
  override readonly rules: ListRules | undefined;

  constructor(items: readonly CelValue[], rules?: ListRules) {
    super();
    this.items = items;
    this.rules = rules;
  }

  get size(): number {
    return this.items.length;
  }

  at(place: number): CelValue {
    return this.items[place] ?? null;
  }
}

/** What a key is equal to; 1, 1u and 1.0 are the same key. */
export type MapKey = string | boolean | bigint | number;

export abstract class CelMap {
  abstract readonly size: number;
  abstract keys(): Iterable<CelValue>;
  /** Undefined when there is no such key. */
  abstract get(key: CelValue): CelValue | undefined;
}

/** A map that an expression made. */
export class NativeMap extends CelMap {
  private readonly entries: ReadonlyMap<MapKey, readonly [CelValue, CelValue]>;

  constructor(entries: ReadonlyMap<MapKey, readonly [CelValue, CelValue]>) {
    super();
    this.entries = entries;
  }

  get size(): number {
    return this.entries.size;
  }

  *keys(): Iterable<CelValue> {
    for (const [key] of this.entries.values()) yield key;
  }

  get(key: CelValue): CelValue | undefined {
    const known = mapKeyOf(key);
    return known === undefined ? undefined : this.entries.get(known)?.[1];
  }
}

/** What a value is as a key; undefined for values that are none. */
export function mapKeyOf(value: CelValue): MapKey | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (value instanceof Uint) return value.value;
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint'
    ? value
    : undefined;
}

/** An object with declared fields. */
export abstract class CelStruct {
  abstract readonly type: CelType;
  /** Fields that are looked at for those that have a value, where they may be far more. */
  get width(): number {
    return 0;
  }
  /** Fields that have a value. */
  abstract names(): Iterable<string>;
  /** Undefined when the field has no value, or is none of this type. */
  abstract field(name: string): CelValue | undefined;
}

/** An object that an expression made. */
export class NativeStruct extends CelStruct {
  readonly type: CelType;
  private readonly fields: ReadonlyMap<string, CelValue>;

  constructor(type: CelType, fields: ReadonlyMap<string, CelValue>) {
    super();
    this.type = type;
    this.fields = fields;
  }

  names(): Iterable<string> {
    return this.fields.keys();
  }

  field(name: string): CelValue | undefined {
    return this.fields.get(name);
  }

  get size(): number {
    return this.fields.size;
  }
}

/** A value, or none. */
export class Optional {
  static readonly none = new Optional(undefined);
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

/** A value of a library: only its functions look inside. */
export abstract class Opaque {
  abstract readonly type: CelType;
  abstract equals(other: Opaque): boolean;
}

const anyList = listOf(dynType);
const anyMap = mapOf(dynType, dynType);
const anyOptional = optionalOf(dynType);
const anyTypeType = typeOfType(dynType);

/** The type of a value; of collections without what they hold. */
export function typeOfValue(value: CelValue): CelType {
  if (typeof value === 'string') return stringType;
  if (typeof value === 'boolean') return boolType;
  if (typeof value === 'bigint') return intType;
  return typeof value === 'number' ? doubleType : typeOfObject(value);
}

function typeOfObject(value: Exclude<CelValue, string | boolean | bigint | number>): CelType {
  if (value === null) return nullType;
  if (value instanceof CelList) return anyList;
  if (value instanceof CelMap) return anyMap;
  if (value instanceof CelStruct || value instanceof Opaque) return value.type;
  if (value instanceof Timestamp) return timestampType;
  if (value instanceof Duration) return durationType;
  if (value instanceof Uint) return uintType;
  if (value instanceof Optional) return anyOptional;
  return value instanceof TypeValue ? anyTypeType : bytesType;
}

/** Whether a function that takes `type` can take the value; what collections hold is not looked at. */
export function isOfType(value: CelValue, type: CelType): boolean {
  if (type.kind === 'dyn' || type.kind === 'parameter') return true;
  const actual = typeOfValue(value);
  if (type.kind === 'opaque' || type.kind === 'object')
    return actual.kind === type.kind && actual.name === type.name;
  return actual.kind === type.kind;
}
