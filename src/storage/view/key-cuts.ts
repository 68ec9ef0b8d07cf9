/**
 * Keys that are known, to cut a range of etcd at: etcd counts all keys of a range that is requested, whatever the limit, so
 * a range between two of these is cheap however many keys there are.
 */
import type { KeySpace } from '../keys.ts';
import type { CollectionId, ObjectKey } from '../types.ts';
import type { PinnedCollection } from './collection.ts';

/** Known keys between two cuts. */
export const keysPerCut = 2_000;

/** The keys of a collection, readable or not, in order; the next is found in O(1). */
export function* keysInOrder({
  tree,
  unreadable,
}: Pick<PinnedCollection, 'tree' | 'unreadable'>): Generator<ObjectKey, void> {
  const others = unreadable.all()[Symbol.iterator]();
  let other = others.next();
  for (const { key } of tree.range(0, Infinity)) {
    for (; other.done !== true && other.value.key < key; other = others.next()) yield other.value.key;
    yield key;
  }
  for (; other.done !== true; other = others.next()) yield other.value.key;
}

/** Every 2,000th key of these collections as a key of etcd, in order of the collections there; found while they are taken. */
export function* keyCuts(
  collections: Iterable<readonly [CollectionId, PinnedCollection]>,
  keys: KeySpace,
): Generator<Buffer, void> {
  let count = 0;
  for (const [id, collection] of [...collections].sort(([a], [b]) => (`${a}/` < `${b}/` ? -1 : 1))) {
    for (const key of keysInOrder(collection)) {
      count += 1;
      if (count % keysPerCut === 0) yield keys.object(id, key);
    }
  }
}
