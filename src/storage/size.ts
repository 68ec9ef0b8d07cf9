/** How much an entry holds. */
import type { Entry } from './types.ts';

/** Bytes of the stored text; nothing is made for it. */
export function sizeOf(entry: Entry): number {
  return entry.size ?? entry.bytes.length;
}
