/**
 * Resource versions: opaque to clients, an etcd revision inside (API conventions, "Concurrency Control and
 * Consistency").
 */
import { quoted } from '../base/short-text.ts';
import type { StatusError } from './status.ts';
import { badRequest } from './status.ts';

const maxUint64 = 2n ** 64n - 1n;

/** Numbers of so many digits are below 2^53. */
const shortDigits = 15;
const [zero, nine] = [0x30, 0x39];

/**
 * Reads a resource version from a query or an object, as kube-apiserver does: an unsigned number of 64 bits.
 * @returns undefined for '', otherwise the revision; a number beyond 2^53 is given as Infinity ("too large")
 * @throws StatusError 400 when it is not a decimal number, or has more than 64 bits
 */
export function parseResourceVersion(text: string): number | undefined {
  if (text === '') return undefined;
  if (isShortNumber(text)) return Number(text);
  if (!/^[0-9]+$/.test(text)) throw invalid(text);
  // The length is looked at first: to make a number of many digits takes time.
  const digits = text.replace(/^0+(?=[0-9])/, '');
  if (digits.length > 20 || BigInt(digits) > maxUint64) throw invalid(text);
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : Infinity;
}

/** Nearly all are: such a number is exact as it is, and neither a pattern nor a BigInt is needed. */
function isShortNumber(text: string): boolean {
  if (text.length > shortDigits) return false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < zero || code > nine) return false;
  }
  return true;
}

function invalid(text: string): StatusError {
  return badRequest(
    `Invalid value: ${quoted(text)}: resourceVersion must be one that a former answer carried`,
  );
}
