/** Collections whose objects are deleted some time after their last write. */
import type { CollectionId } from '../../storage/types.ts';
import { everyVersion, type CatalogueSources } from './every-version.ts';

/** Those of all resources that say so, under the names of the profile. */
export function expiringCollections(sources: CatalogueSources): Set<CollectionId> {
  const expiring = everyVersion(sources).filter(({ definition }) => definition.expires === true);
  return new Set(expiring.map(({ storage }) => storage.collection));
}
