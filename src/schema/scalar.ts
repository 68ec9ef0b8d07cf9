/** Checks one scalar against its schema and gives it in canonical form. */
import type { JsonValue } from '../base/json.ts';
import { canonicalQuantity } from '../meta/quantity.ts';
import { canonicalMicros, canonicalSeconds } from '../meta/time.ts';
import type { ScalarSchema } from './types.ts';

/** A canonical value, or what was expected instead. */
export type ScalarResult = { readonly value: JsonValue } | { readonly expected: string };

type Format = ScalarSchema['format'];

const integerRanges: Partial<Record<Format, readonly [bigint, bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};
const base64Syntax = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Never throws; what is accepted and how it is normalised is the table of src/api/README.md. */
export function checkScalar(schema: ScalarSchema, value: JsonValue): ScalarResult {
  switch (schema.type) {
    case 'boolean':
      return typeof value === 'boolean' ? { value } : { expected: 'boolean' };
    case 'integer':
      return checkInteger(schema.format, value);
    case 'number':
      return typeof value === 'number' || JSON.isRawJSON(value) ? { value } : { expected: 'number' };
    case 'string':
      return checkString(schema.format, value);
  }
}

function checkInteger(format: Format, value: JsonValue): ScalarResult {
  if (typeof value === 'number') {
    if (!Number.isInteger(value)) return { expected: 'integer' };
    if (format === 'int32' && value === (value | 0)) return { value: value | 0 };
    return isInRange(format, BigInt(value)) ? { value } : { expected: `${format} integer` };
  }
  if (!JSON.isRawJSON(value) || !/^-?[0-9]{1,20}$/.test(value.rawJSON)) return { expected: 'integer' };
  return isInRange(format, BigInt(value.rawJSON)) ? { value } : { expected: `${format} integer` };
}

function isInRange(format: Format, value: bigint): boolean {
  const range = integerRanges[format];
  return !range || (value >= range[0] && value <= range[1]);
}

function checkString(format: Format, value: JsonValue): ScalarResult {
  if (format === 'int-or-string') return checkIntOrString(value);
  if (format === 'quantity') return canonical(canonicalQuantity(quantityText(value)), 'quantity');
  if (typeof value !== 'string') return { expected: 'string' };
  if (format === 'date-time') return canonical(canonicalSeconds(value), 'RFC 3339 time');
  if (format === 'micro-time') return canonical(canonicalMicros(value), 'RFC 3339 time');
  return format === 'byte' ? checkBase64(value) : { value };
}

function canonical(value: string | undefined, expected: string): ScalarResult {
  return value === undefined ? { expected } : { value };
}

function checkIntOrString(value: JsonValue): ScalarResult {
  if (typeof value === 'string') return { value };
  const result = checkInteger('int32', value);
  return 'value' in result ? result : { expected: 'int32 integer or string' };
}

/** Quantities may come as JSON numbers; '' is no quantity. */
function quantityText(value: JsonValue): string {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number') return String(value);
  return JSON.isRawJSON(value) ? value.rawJSON : '';
}

/** Line breaks inside base64 are dropped. */
function checkBase64(value: string): ScalarResult {
  const text = /[\r\n]/.test(value) ? value.replace(/[\r\n]/g, '') : value;
  return base64Syntax.test(text) ? { value: text } : { expected: 'base64' };
}
