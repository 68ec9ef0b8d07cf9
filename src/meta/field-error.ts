/** One error of an input with its field path; the errors of an input are collected and answered at once. */
import { quoted, shortText } from '../base/short-text.ts';
import type { FieldPath } from './field-path.ts';

export type FieldErrorReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueNotFound'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

export interface FieldError {
  readonly reason: FieldErrorReason;
  readonly field: string;
  /** The message without the field: `Invalid value: "x": must be …`. */
  readonly message: string;
}

type At = FieldPath | string;

/**
 * So many errors of one list, map or object are collected; then validation passes over the rest of it. More than
 * anybody reads: a body may hold a hundred thousand.
 */
export const maxFieldErrors = 500;

/** Adds errors to others up to the bound. Mutates `all`; gives false once no more are wanted. */
export function collect(all: FieldError[], found: readonly FieldError[]): boolean {
  for (const error of found) {
    if (all.length >= maxFieldErrors) return false;
    all.push(error);
  }
  return all.length < maxFieldErrors;
}

/** Most characters of what is said about a value. */
const maxDetail = 4_000;

/** The errors of items in their order, until enough are found; then the rest is not looked at. */
export function errorsOf<T>(
  items: Iterable<T>,
  find: (item: T, position: number) => readonly FieldError[],
): FieldError[] {
  const all: FieldError[] = [];
  let position = 0;
  for (const item of items) {
    if (!collect(all, find(item, position))) break;
    position += 1;
  }
  return all;
}

function make(reason: FieldErrorReason, at: At, message: string, detail?: string): FieldError {
  return {
    reason,
    field: at.toString(),
    message: detail ? `${message}: ${shortText(detail, maxDetail)}` : message,
  };
}

/** More supported values than these are only counted: a custom resource may list thousands. */
const maxSupported = 100;

/** A value as messages quote it: strings in quotes, the rest as JSON. */
function show(value: unknown): string {
  return value === undefined ? 'null' : quoted(value);
}

export function required(at: At, detail = ''): FieldError {
  return make('FieldValueRequired', at, 'Required value', detail);
}

export function invalid(at: At, value: unknown, detail: string): FieldError {
  return make('FieldValueInvalid', at, `Invalid value: ${show(value)}`, detail);
}

export function typeInvalid(at: At, value: unknown, detail: string): FieldError {
  return make('FieldValueTypeInvalid', at, `Invalid value: ${show(value)}`, detail);
}

/** `supported` may be the first of them; then `count` says how many there are. */
export function notSupported(
  at: At,
  value: unknown,
  supported: readonly string[],
  count = supported.length,
): FieldError {
  const reported = supported.slice(0, maxSupported).map(quoted);
  if (count > reported.length) reported.push(`${String(count - reported.length)} more`);
  const values = reported.join(', ');
  return make(
    'FieldValueNotSupported',
    at,
    `Unsupported value: ${show(value)}`,
    values && `supported values: ${values}`,
  );
}

export function duplicate(at: At, value: unknown): FieldError {
  return make('FieldValueDuplicate', at, `Duplicate value: ${show(value)}`);
}

export function forbidden(at: At, detail: string): FieldError {
  return make('FieldValueForbidden', at, 'Forbidden', detail);
}

export function notFound(at: At, value: unknown): FieldError {
  return make('FieldValueNotFound', at, `Not found: ${show(value)}`);
}

export function tooLong(at: At, maxLength: number): FieldError {
  return make('FieldValueTooLong', at, 'Too long', `must have at most ${String(maxLength)} bytes`);
}

export function tooMany(at: At, actual: number, max: number): FieldError {
  return make(
    'FieldValueTooMany',
    at,
    `Too many: ${String(actual)}`,
    `must have at most ${String(max)} items`,
  );
}
