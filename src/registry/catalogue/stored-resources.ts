/** Where the objects of built-in resources are stored; needs no schemas. */
import type { GroupDefinition, ResourceDefinition } from '../../api/types.ts';
import { expandNames, type NamingProfile } from '../../meta/naming.ts';
import type { CollectionId } from '../../storage/types.ts';

export interface StoredResource {
  /** Under the name of the profile; '' for the core group. */
  readonly group: string;
  readonly plural: string;
  readonly collection: CollectionId;
  /** Its writes take and release keys of other collections in their own transaction (addresses, node ports). */
  readonly holdsValues: boolean;
}

/** All built-in resources with objects, whether they are served or not, in the order of the catalogue. */
export function storedResources(groups: readonly GroupDefinition[], naming: NamingProfile): StoredResource[] {
  return groups.flatMap(({ group, resources }) =>
    resources
      .filter(({ virtual }) => virtual !== true)
      .map((definition) => ({
        group: expandNames(group, naming),
        plural: definition.plural,
        collection: collectionOf(expandNames(group, naming), definition, naming),
        holdsValues: definition.strategy.allocation !== undefined,
      })),
  );
}

/** Groups that serve the same objects share their collection. `group`: that of the definition, expanded. */
export function collectionOf(
  group: string,
  { plural, storedIn, storedAs = plural }: Pick<ResourceDefinition, 'plural' | 'storedIn' | 'storedAs'>,
  naming: NamingProfile,
): CollectionId {
  const owner = storedIn ? expandNames(storedIn.group, naming) : group;
  return `${owner === '' ? 'core' : owner}/${storedAs}`;
}
