/** Whether a write changes anything, told from the stored texts before and after it. */
import { deepEqual } from '../base/json.ts';
import { decodeStored } from '../codec/stored.ts';

/** Compared at once before single bytes are. */
const stride = 256;

/**
 * True when two stored texts say the same. Clients write members in orders of their own: that alone is no change, or
 * two of them would overwrite each other for ever. Another order is of the same bytes.
 */
export function isSameText(a: Buffer, b: Buffer): boolean {
  if (a.length !== b.length) return false;
  const start = equalFromStart(a, b);
  if (start === a.length) return true;
  const end = a.length - equalFromEnd(a, b);
  return byteSum(a, start, end) === byteSum(b, start, end) && deepEqual(decodeStored(a), decodeStored(b));
}

/** How many bytes are equal before the first that differs. */
function equalFromStart(a: Buffer, b: Buffer): number {
  let at = 0;
  while (at + stride <= a.length && a.compare(b, at, at + stride, at, at + stride) === 0) at += stride;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

/** How many bytes are equal behind the last that differs. */
function equalFromEnd(a: Buffer, b: Buffer): number {
  let end = a.length;
  while (end >= stride && a.compare(b, end - stride, end, end - stride, end) === 0) end -= stride;
  while (end > 0 && a[end - 1] === b[end - 1]) end -= 1;
  return a.length - end;
}

/** Does not depend on the order of bytes, and tells nearly all other changes without parsing. */
function byteSum(bytes: Buffer, start: number, end: number): number {
  let sum = 0;
  for (let i = start; i < end; i += 1) {
    const byte = bytes[i] ?? 0;
    sum = (sum + byte * byte * byte) | 0;
  }
  return sum;
}
