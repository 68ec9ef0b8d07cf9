/**
 * Keys and ranges of keys. A key is kept as a string with a character for each byte (latin1): it is short, and its order
 * by code units is the order of the bytes.
 */
import { emptyBytes } from './messages.ts';

/** `end`: undefined for the key `start` alone, null for all keys from it on; otherwise it is not part of the range. */
export interface KeyRange {
  readonly start: string;
  readonly end: string | null | undefined;
}

export function keyText(key: Buffer): string {
  return key.toString('latin1');
}

/** The range that a request names: without an end one key, with an end of one zero byte all keys from `key` on. */
export function rangeOf(key: Buffer = emptyBytes, end: Buffer = emptyBytes): KeyRange {
  const start = keyText(key);
  if (end.length === 0) return { start, end: undefined };
  if (end.length === 1 && end[0] === 0) return { start, end: null };
  return { start, end: keyText(end) };
}

export function isInRange({ start, end }: KeyRange, key: string): boolean {
  if (end === undefined) return key === start;
  return key >= start && (end === null || key < end);
}
