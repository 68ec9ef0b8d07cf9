/**
 * Keys that are known, to cut a range of etcd at: etcd counts all keys of a range that is requested, whatever the limit, so
 * a range between two of these is cheap however many keys there are.
 */
import type { KeySpace } from '../keys.ts';
import type { CollectionId, ObjectKey } from '../types.ts';
import type { PinnedCollection } from './collection.ts';

/** Known keys between two cuts. */
export const keysPerCut = 2_000;

/** The keys of a collection with a prefix, readable or not, in order; the next is found in O(1). */
export function* keysInOrder(
  { tree, unreadable }: Pick<PinnedCollection, 'tree' | 'unreadable'>,
  within = '',
): Generator<ObjectKey, void> {
  const others = [...unreadable.all()].filter(({ key }) => key.startsWith(within)).values();
  let other = others.next();
  const end = within === '' ? Infinity : tree.positionOf(`${within}\uffff`);
  for (const { key } of tree.range(tree.positionOf(within), end)) {
    for (; other.done !== true && other.value.key < key; other = others.next()) yield other.value.key;
    yield key;
  }
  for (; other.done !== true; other = others.next()) yield other.value.key;
}

/**
 * Every 2,000th key of these collections as a key of etcd, in order of the collections there; found while they are taken.
 * @param within only keys of objects with this prefix
 */
export function* keyCuts(
  collections: Iterable<readonly [CollectionId, PinnedCollection]>,
  keys: KeySpace,
  within = '',
): Generator<Buffer, void> {
  let count = 0;
  for (const [id, collection] of [...collections].sort(([a], [b]) => (`${a}/` < `${b}/` ? -1 : 1))) {
    for (const key of keysInOrder(collection, within)) {
      count += 1;
      if (count % keysPerCut === 0) yield keys.object(id, key);
    }
  }
}
