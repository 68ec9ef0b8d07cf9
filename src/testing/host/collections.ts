/** Where the kinds of a control plane are stored, for files of its state. */
import { apiVersionOf } from '../../meta/gvk.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';
import type { CollectionId } from '../../storage/types.ts';

/** The collection of each kind by its version and name, such as `apps/v1 Deployment`. */
export function collectionsOf(catalogue: ResourceCatalogue): Record<string, CollectionId> {
  const resources = catalogue
    .groups()
    .flatMap(({ versions }) => versions.flatMap((version) => version.resources));
  return Object.fromEntries(
    resources.map(({ gvk, storage }) => [`${apiVersionOf(gvk)} ${gvk.kind}`, storage.collection]),
  );
}
