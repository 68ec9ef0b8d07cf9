/** The comparisons of a transaction. */
import { rangeOf } from './key-range.ts';
import { emptyBytes, type Compare, type Int64, type StoredKeyValue } from './messages.ts';
import type { Store } from './store.ts';

const target = { version: 0, createRevision: 1, modRevision: 2, value: 3, lease: 4 } as const;

const missing: StoredKeyValue = {
  key: emptyBytes,
  create_revision: 0,
  mod_revision: 0,
  version: 0,
  value: emptyBytes,
  lease: 0,
};

/** Whether each key of the range compares; a range without a key compares as one with zeros, and as no value. */
export function compares(store: Store, compare: Compare): boolean {
  const kvs: StoredKeyValue[] = [];
  store.each(rangeOf(compare.key, compare.range_end), store.revision, (kv) => kvs.push(kv));
  if (kvs.length > 0) return kvs.every((kv) => comparesKey(compare, kv));
  return compare.target !== target.value && comparesKey(compare, missing);
}

function comparesKey(compare: Compare, kv: StoredKeyValue): boolean {
  const order = orderOf(compare, kv);
  switch (compare.result ?? 0) {
    case 0:
      return order === 0;
    case 1:
      return order > 0;
    case 2:
      return order < 0;
    default:
      return order !== 0;
  }
}

function orderOf(compare: Compare, kv: StoredKeyValue): number {
  switch (compare.target ?? 0) {
    case target.version:
      return orderOfNumbers(kv.version, compare.version);
    case target.createRevision:
      return orderOfNumbers(kv.create_revision, compare.create_revision);
    case target.modRevision:
      return orderOfNumbers(kv.mod_revision, compare.mod_revision);
    case target.value:
      return Buffer.compare(kv.value, compare.value ?? emptyBytes);
    default:
      return orderOfNumbers(kv.lease, compare.lease);
  }
}

/** Leases may be larger than what a number holds. */
function orderOfNumbers(a: Int64, b: Int64 = 0): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const difference = BigInt(a.toString()) - BigInt(b.toString());
  if (difference === 0n) return 0;
  return difference > 0n ? 1 : -1;
}
