/** Every resource of the catalogue in every version that it ever had, whether that is served or not. */
import type { GroupDefinition } from '../../api/types.ts';
import { expandNames, type NamingProfile } from '../../meta/naming.ts';
import type { SchemaSet } from '../../schema/load-proto.ts';
import { createServedResource } from './served-resource.ts';
import type { ServedResource } from '../types.ts';

export interface CatalogueSources {
  readonly naming: NamingProfile;
  readonly groups: readonly GroupDefinition[];
  readonly schemas: SchemaSet;
}

/** All resources in all versions whose types the schemas have, in the order of the catalogue. */
export function everyVersion({ naming, groups, schemas }: CatalogueSources): ServedResource[] {
  return groups.flatMap(({ group, folder, resources }) =>
    resources.flatMap((definition) =>
      definition.versions
        .filter(({ version }) => schemas.find(`${folder}/${version}.${definition.kind}`) !== undefined)
        .map(({ version }) =>
          createServedResource({
            group: expandNames(group, naming),
            ...{ folder, version, definition, schemas, naming },
          }),
        ),
    ),
  );
}
