/**
 * The type of external data in JSON, YAML or Protobuf. Keys such as `__proto__` are data: write them with `setOwn`,
 * never with plain assignment.
 */

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

/** A number whose exact text must survive (64-bit integers beyond 2^53); made by `JSON.rawJSON`, printed by `JSON.stringify`. */
export interface RawNumber {
  readonly rawJSON: string;
}

export type JsonValue = string | number | boolean | null | JsonObject | JsonArray | RawNumber;
export type JsonArray = JsonValue[];
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** True for a JSON object (not null, array or raw number). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}

/** The type of a value, for messages that must not contain the value. */
export function jsonTypeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (isObject(value)) return 'object';
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : 'number';
}

/** Sets an own property whatever its name; plain assignment to `__proto__` would change the prototype instead. */
export function setOwn(target: JsonObject, key: string, value: JsonValue): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** Reads an own property; inherited names (`constructor`, `toString`) give undefined. */
export function getOwn(target: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(target, key) ? target[key] : undefined;
}

/** A deep copy that keeps `__proto__` keys as data and raw numbers as they are. */
export function deepCopy<T extends JsonValue>(value: T): T {
  return copy(value) as T;
}

function copy(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copy);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member !== undefined) setOwn(result, key, copy(member));
  }
  return result;
}

/** The string, or '' for other types. */
export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Deep equality of JSON values; the order of keys does not matter, an undefined member equals a missing one. */
export function deepEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  // Most compared values are scalars; the checks below are expensive.
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && equalItems(a, b);
  if (JSON.isRawJSON(a)) return JSON.isRawJSON(b) && a.rawJSON === b.rawJSON;
  return isObject(b) && equalMembers(a, b);
}

function equalItems(a: JsonArray, b: JsonArray): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (!deepEqual(a[i], b[i])) return false;
  return true;
}

function equalMembers(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(a);
  const others = Object.keys(b);
  let same = 0;
  // Fast path: copies have their members in the same order.
  for (; same < keys.length && keys[same] === others[same]; same += 1) {
    const key = keys[same] ?? '';
    if (!deepEqual(a[key], b[key])) return false;
  }
  let surplus = 0;
  for (let i = same; i < keys.length; i += 1) {
    const key = keys[i] ?? '';
    const member = a[key];
    if (member === undefined) continue;
    if (!Object.hasOwn(b, key) || !deepEqual(member, b[key])) return false;
    surplus += 1;
  }
  for (let i = same; i < others.length; i += 1) if (b[others[i] ?? ''] !== undefined) surplus -= 1;
  return surplus === 0;
}
