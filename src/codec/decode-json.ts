/**
 * JSON bytes → value. The hot path is one pass over the bytes (depth, and whether anything needs care) and
 * JSON.parse; 64-bit integers, numbers out of range and broken surrogates take a slower one.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { JsonValue } from '../base/json.ts';
import { isObject } from '../base/json.ts';
import { DecodeError } from './decode-error.ts';
import { quote, stringEnd } from './json-bytes.ts';
import { scanJson } from './json-scanner.ts';
import type { DecodeLimits } from './limits.ts';
import { defaultLimits } from './limits.ts';

export interface DecodedJson {
  readonly value: JsonValue;
  /** Paths of keys given twice (`spec.replicas`); empty unless asked for. The last value won. */
  readonly duplicates: readonly string[];
}

export interface DecodeJsonOptions extends Partial<DecodeLimits> {
  /** Look for duplicate keys, at the cost of a second reading. */
  readonly detectDuplicates?: boolean;
}

/**
 * Decodes one JSON value. Integers beyond 2^53 keep their exact text (`JSON.rawJSON`); `__proto__` is a plain key.
 * @throws DecodeError for invalid UTF-8, a syntax error (with its position), nesting beyond the limit, and numbers
 * that no 64-bit float can hold
 */
export function decodeJson(bytes: Buffer, options: DecodeJsonOptions = {}): DecodedJson {
  if (!isUtf8(bytes)) throw new DecodeError('invalid JSON: not valid UTF-8');
  const { careful, members } = survey(bytes, options.maxDepth ?? defaultLimits.maxDepth);
  const raw = isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8');
  const text = maySplitSurrogates(bytes) ? repairSurrogates(raw) : raw;
  const value = parse(text, careful);
  // With as many members in the value as in the text there are no duplicate keys.
  const backoff = options.detectDuplicates === true && countMembers(value) !== members;
  return { value, duplicates: backoff ? scanJson(text) : [] };
}

function countMembers(value: JsonValue): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') count += countMembers(item);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const member = value[key];
      count += typeof member === 'object' ? 1 + countMembers(member) : 1;
    }
  }
  return count;
}

function parse(text: string, careful: boolean): JsonValue {
  try {
    return (careful ? JSON.parse(text, keepExact) : JSON.parse(text)) as JsonValue;
  } catch (error) {
    if (error instanceof DecodeError) throw error;
    scanJson(text);
    throw new DecodeError('invalid JSON', error);
  }
}

interface JsonSurvey {
  /** A number may need more than a float: 16 digits or more, or an exponent. */
  readonly careful: boolean;
  /** Members of all objects together, those included whose key is repeated. */
  readonly members: number;
}

/** Walks the bytes once; refuses deep nesting. */
function survey(bytes: Buffer, maxDepth: number): JsonSurvey {
  let careful = false;
  let members = 0;
  let depth = 0;
  let digits = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] ?? 0;
    if (byte >= 0x30 && byte <= 0x39) {
      digits += 1;
      continue;
    }
    careful ||= digits > 15 || (digits > 0 && (byte | 0x20) === 0x65);
    digits = 0;
    if (byte === quote) i = stringEnd(bytes, i);
    else if (byte === 0x7b || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === 0x3a) members += 1;
    if (depth > maxDepth) throw new DecodeError(`nested deeper than ${String(maxDepth)} levels`);
  }
  return { careful: careful || digits > 15, members };
}

const maxUint64 = 2n ** 64n - 1n;
const minInt64 = -(2n ** 63n);

/** A reviver that keeps 64-bit integers exact and refuses numbers that overflow. */
function keepExact(_key: string, value: JsonValue, context?: { source?: string }): JsonValue {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return exactNumber(context.source);
}

/**
 * The value of a JSON number literal: exact within 64 bits, a float beyond.
 * @throws DecodeError when not even a float can hold it
 */
export function exactNumber(literal: string): JsonValue {
  const value = Number(literal);
  if (!Number.isFinite(value)) {
    throw new DecodeError(`number out of range: ${literal.slice(0, 40)}${literal.length > 40 ? '…' : ''}`);
  }
  if (Number.isSafeInteger(value) || literal.length > 20 || !/^-?[0-9]+$/.test(literal)) return value;
  const exact = BigInt(literal);
  return exact >= minInt64 && exact <= maxUint64 ? JSON.rawJSON(literal) : value;
}

const escapes =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|[^])/g;

const backslash = 0x5c;

/** One byte is looked for first: most texts have none, and that is told in a twentieth of the time (9 µs for 2 KB). */
function maySplitSurrogates(bytes: Buffer): boolean {
  return bytes.includes(backslash) && (bytes.includes('\\ud') || bytes.includes('\\uD'));
}

/** Replaces escaped halves of surrogate pairs by the replacement character: no UTF-8 text can carry them. */
function repairSurrogates(text: string): string {
  return text.replace(escapes, (all: string, lone: string | undefined) =>
    lone === undefined ? all : '\\ufffd',
  );
}
