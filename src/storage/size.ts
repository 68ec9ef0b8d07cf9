/** The size of an entry. */
import type { Entry } from './types.ts';

/** Bytes of the stored text, without materializing it. */
export function sizeOf(entry: Entry): number {
  return entry.size ?? entry.bytes.length;
}
