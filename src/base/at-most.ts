/** Bound of a cache by the number of its entries. */

/** Options of an `LRUCache` that counts its entries. */
export interface EntryLimit {
  readonly maxSize: number;
  readonly sizeCalculation: () => number;
}

/**
 * Options for an `LRUCache` of so many entries that grows as it fills. With `max`, it takes the room of all entries when it is
 * made: 10,000 of them cost a millisecond and half a megabyte, also where there will be three.
 */
export function atMost(entries: number): EntryLimit {
  return { maxSize: entries, sizeCalculation: () => 1 };
}
