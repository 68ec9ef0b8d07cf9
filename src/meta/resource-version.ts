/** Resource versions: opaque to clients, an etcd revision inside (specification, "Resource version semantics"). */
import { quoted } from '../base/short-text.ts';
import { badRequest } from './status.ts';

/**
 * Reads a resource version from a query or an object.
 * @returns undefined for '', otherwise the revision; a number beyond 2^53 is given as Infinity ("too large")
 * @throws StatusError 400 when it is not a decimal number
 */
export function parseResourceVersion(text: string): number | undefined {
  if (text === '') return undefined;
  if (!/^[0-9]{1,20}$/.test(text)) {
    throw badRequest(
      `Invalid value: ${quoted(text)}: resourceVersion must be one that a former answer carried`,
    );
  }
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : Infinity;
}
