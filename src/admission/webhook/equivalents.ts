/** The other versions of resources, in every group that serves the same objects. */
import type { ResourceCatalogue, ServedGroup, ServedResource } from '../../registry/types.ts';
import type { CollectionId } from '../../storage/types.ts';

/** By the groups of a catalogue: they are other ones after each change of it. */
const known = new WeakMap<readonly ServedGroup[], ReadonlyMap<CollectionId, readonly ServedResource[]>>();

/** All that serve the objects of a resource, itself among them; the catalogue is read once for each change of it. */
export function versionsOf(
  catalogue: Pick<ResourceCatalogue, 'groups'>,
  { storage }: ServedResource,
): readonly ServedResource[] {
  const groups = catalogue.groups();
  let byCollection = known.get(groups);
  if (!byCollection) known.set(groups, (byCollection = byCollectionOf(groups)));
  return byCollection.get(storage.collection) ?? [];
}

function byCollectionOf(groups: readonly ServedGroup[]): Map<CollectionId, ServedResource[]> {
  const all = groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
  return Map.groupBy(all, ({ storage }) => storage.collection);
}
