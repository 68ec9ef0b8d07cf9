/** The small words of validation: each gives the faults of one value at one path, and they compose by concatenation. */
import type { JsonValue } from '../../base/json.ts';
import { deepEqual } from '../../base/json.ts';
import type { FieldError } from '../../meta/field-error.ts';
import { duplicate, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { FieldPath } from '../../meta/field-path.ts';

/** Gives the faults of a value that stands at a path. */
export type Rule<T> = (value: T, path: FieldPath) => FieldError[];

/** A field that may be missing or null. */
export type Maybe<T> = T | null | undefined;

/** Applies a rule to every entry of a list; a missing list has no faults. */
export function each<T>(items: Maybe<readonly T[]>, path: FieldPath, rule: Rule<T>): FieldError[] {
  return (items ?? []).flatMap((item, position) => rule(item, path.index(position)));
}

/** Applies a rule to every value of a map, at the path of its key. */
export function eachValue<T>(
  map: Maybe<Readonly<Record<string, T>>>,
  path: FieldPath,
  rule: Rule<T>,
): FieldError[] {
  return Object.entries(map ?? {}).flatMap(([key, value]) => rule(value, path.key(key)));
}

/** Applies a rule only to a value that is there. */
export function given<T>(value: Maybe<T>, path: FieldPath, rule: Rule<T>): FieldError[] {
  return value === undefined || value === null ? [] : rule(value, path);
}

/** A value that must be there: `rule` judges it, or it is required. */
export function need<T>(value: Maybe<T>, path: FieldPath, rule: Rule<T> = () => []): FieldError[] {
  return value === undefined || value === null || value === '' ? [required(path)] : rule(value, path);
}

/** Turns messages about a value into faults. */
export function faults(value: unknown, path: FieldPath, messages: readonly string[]): FieldError[] {
  return messages.map((message) => invalid(path, value, message));
}

/** A rule made of a function that gives messages. */
export function obeys(check: (value: string) => readonly string[]): Rule<string> {
  return (value, path) => faults(value, path, check(value));
}

/** A number for comparisons; 64-bit integers may come with their exact text. */
export function toNumber(value: unknown): number {
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

/** Equality where null, `{}` and a missing member are one: for comparing what was sent with what is stored. */
export function sameMeaning(a: unknown, b: unknown): boolean {
  return same(withoutEmpty(a), withoutEmpty(b));
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
