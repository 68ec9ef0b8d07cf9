/** The small words of validation: each gives the errors in one value at one path, and they compose by concatenation. */
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { deepEqual, getOwn } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { collect, duplicate, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';

/** Gives the errors in a value that stands at a path. */
export type Rule<T> = (value: T, path: FieldPath) => FieldError[];

/** A field that may be missing or null. */
export type Maybe<T> = T | null | undefined;

/**
 * All errors in their order. Nearly always there are none, and spreading empty lists into a new one was half of the
 * time of judging a pod.
 */
export function allOf(...found: readonly FieldError[][]): FieldError[] {
  let all: FieldError[] | undefined;
  for (const errors of found) {
    if (errors.length > 0) all = all === undefined ? errors : [...all, ...errors];
  }
  return all ?? [];
}

/** Applies a rule to the entries of a list until enough errors are found; a missing list has none. */
export function each<T>(items: Maybe<readonly T[]>, path: FieldPath, rule: Rule<T>): FieldError[] {
  const all: FieldError[] = [];
  if (items === undefined || items === null) return all;
  for (let position = 0; position < items.length; position += 1) {
    // The list is dense: it came as JSON.
    if (!collect(all, rule(items[position] as T, path.index(position)))) break;
  }
  return all;
}

/** Applies a rule to the values of a map, at the path of their keys, until enough errors are found. */
export function eachValue<T>(
  map: Maybe<Readonly<Record<string, T>>>,
  path: FieldPath,
  rule: Rule<T>,
): FieldError[] {
  return eachEntry(map, path, (_key, value, at) => rule(value, at));
}

/** Applies a rule to the keys of a map and their values, at the path of the key, until enough errors are found. */
export function eachEntry<T>(
  map: Maybe<Readonly<Record<string, T>>>,
  path: FieldPath,
  rule: (key: string, value: T, path: FieldPath) => FieldError[],
): FieldError[] {
  const all: FieldError[] = [];
  if (map === undefined || map === null) return all;
  for (const key of Object.keys(map)) {
    if (!collect(all, rule(key, map[key] as T, path.key(key)))) break;
  }
  return all;
}

/** Applies a rule only to a value that is there. */
export function given<T>(value: Maybe<T>, path: FieldPath, rule: Rule<T>): FieldError[] {
  return value === undefined || value === null ? [] : rule(value, path);
}

/** Applies one rule to those of some fields of a struct that are there; the others need no path. */
export function givenFields<T, K extends string>(
  struct: { readonly [field in K]?: Maybe<T> },
  fields: readonly K[],
  path: FieldPath,
  rule: Rule<T>,
): FieldError[] {
  const all: FieldError[] = [];
  for (const field of fields) {
    const value = struct[field];
    if (value === undefined || value === null) continue;
    for (const error of rule(value, path.child(field))) all.push(error);
  }
  return all;
}

/** A value that must be there: `rule` judges it, or it is required. */
export function need<T>(value: Maybe<T>, path: FieldPath, rule: Rule<T> = anything): FieldError[] {
  return value === undefined || value === null || value === '' ? [required(path)] : rule(value, path);
}

function anything(): FieldError[] {
  return [];
}

/** Turns messages about a value into errors. */
export function invalidEach(value: unknown, path: FieldPath, messages: readonly string[]): FieldError[] {
  return messages.length === 0 ? [] : messages.map((message) => invalid(path, value, message));
}

/** A rule made of a function that gives messages. */
export function obeys(check: (value: string) => readonly string[]): Rule<string> {
  return (value, path) => invalidEach(value, path, check(value));
}

/** A number for comparisons; 64-bit integers may come with their exact text. */
export function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  return JSON.isRawJSON(value) ? Number(value.rawJSON) : Number(value);
}

export const nonNegative: Rule<number> = (value, path) =>
  toNumber(value) < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];

export const positive: Rule<number> = (value, path) =>
  toNumber(value) <= 0 ? [invalid(path, value, 'must be greater than 0')] : [];

/** Both ends are allowed. */
export function between(min: number, max: number): Rule<number> {
  return (value, path) =>
    toNumber(value) < min || toNumber(value) > max
      ? [invalid(path, value, `must be between ${String(min)} and ${String(max)}, inclusive`)]
      : [];
}

/** One of a closed set of words. */
export function oneOf(values: readonly string[]): Rule<string> {
  return (value, path) => (values.includes(value) ? [] : [notSupported(path, value, values)]);
}

/** The entries whose key repeats an earlier one; `key` undefined exempts an entry. */
export function repeated<T>(
  items: Maybe<readonly T[]>,
  path: FieldPath,
  key: (item: T) => { readonly value: string | undefined; readonly at?: string },
): FieldError[] {
  if (items === undefined || items === null || items.length < 2) return [];
  const seen = new Set<string>();
  return each(items, path, (item, at) => {
    const { value, at: field } = key(item);
    if (value === undefined || value === '') return [];
    if (seen.has(value)) return [duplicate(field === undefined ? at : at.child(field), value)];
    seen.add(value);
    return [];
  });
}

/** Entries whose field `name` repeats an earlier entry's. */
export function repeatedNames<T extends { readonly name?: Maybe<string> }>(
  items: Maybe<readonly T[]>,
  path: FieldPath,
): FieldError[] {
  return repeated(items, path, (item) => ({ value: item.name ?? undefined, at: 'name' }));
}

/** A member that the map itself has: user's keys may be called `constructor`. */
export function own<T>(map: Maybe<Readonly<Record<string, T>>>, key: string): T | undefined {
  return map && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Deep equality of two typed JSON values; a missing and a null value are the same. */
export function same(a: unknown, b: unknown): boolean {
  return deepEqual((a ?? undefined) as JsonValue | undefined, (b ?? undefined) as JsonValue | undefined);
}

/** Deep equality of two structs but for some of their fields, without copies that lack them. */
export function sameExcept(a: object, b: object, fields: readonly string[]): boolean {
  if (a === b) return true;
  const [left, right] = [a as JsonObject, b as JsonObject];
  for (const key of Object.keys(left)) {
    if (!fields.includes(key) && !deepEqual(left[key], getOwn(right, key))) return false;
  }
  for (const key of Object.keys(right)) {
    if (right[key] !== undefined && !Object.hasOwn(left, key) && !fields.includes(key)) return false;
  }
  return true;
}

/** Equality where null, `{}` and a missing member are one: for comparing what was sent with what is stored. */
export function sameMeaning(a: unknown, b: unknown): boolean {
  return same(a, b) || same(withoutEmpty(a), withoutEmpty(b));
}

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return value ?? undefined;
  const members = Object.entries(value)
    .map(([key, member]) => [key, withoutEmpty(member)] as const)
    .filter(([, member]) => member !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** A field that an update must leave as it is. */
export function unchanged(next: unknown, current: unknown, path: FieldPath): FieldError[] {
  return same(next, current) ? [] : [invalid(path, next, 'field is immutable')];
}
