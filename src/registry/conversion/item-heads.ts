/** What the items of lists leave out, by collection. */
import { itemHeadOf } from '../../codec/list-page.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { everyVersion, type CatalogueSources } from '../catalogue/every-version.ts';
import { announcedGroup, claimedGroup, type CollectionId } from '../../storage/types.ts';

const noHead = Buffer.alloc(0);

/** As `StorageOptions.itemHead`: kind and apiVersion of built-in kinds, as they are stored; custom resources keep theirs. */
export function createItemHeads(sources: CatalogueSources): (collection: CollectionId) => Buffer | undefined {
  const heads = new Map<CollectionId, Buffer>();
  for (const { storage } of everyVersion(sources)) {
    const { collection, gvk } = storage;
    if (!heads.has(collection))
      heads.set(collection, itemHeadOf({ kind: gvk.kind, apiVersion: apiVersionOf(gvk) }));
  }
  return (collection) => heads.get(collection) ?? (isWithoutObjects(collection) ? undefined : noHead);
}

function isWithoutObjects(collection: CollectionId): boolean {
  return collection.startsWith(`${claimedGroup}/`) || collection.startsWith(`${announcedGroup}/`);
}
