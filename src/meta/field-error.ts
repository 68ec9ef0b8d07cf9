/** One fault of an input with its field path; all faults of an input are gathered and told at once. */
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

function make(reason: FieldErrorReason, at: At, message: string, detail?: string): FieldError {
  return { reason, field: at.toString(), message: detail ? `${message}: ${detail}` : message };
}

/** A value as messages quote it: strings in quotes, the rest as JSON. */
function show(value: unknown): string {
  if (value === undefined) return 'null';
  const text = JSON.stringify(value);
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
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

export function notSupported(at: At, value: unknown, supported: readonly string[]): FieldError {
  const values = [...supported].map((v) => JSON.stringify(v)).join(', ');
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
