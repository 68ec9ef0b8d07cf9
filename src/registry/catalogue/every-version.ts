/** Every resource of the catalogue in every version that it ever had, whether that is served or not. */
import type { GroupDefinition, ResourceDefinition } from '../../api/types.ts';
import { expandNames, type NamingProfile } from '../../meta/naming.ts';
import type { SchemaSet } from '../../schema/load-proto.ts';
import { createServedResource } from './served-resource.ts';
import type { ServedResource } from '../types.ts';

export interface CatalogueSources {
  readonly naming: NamingProfile;
  readonly groups: readonly GroupDefinition[];
  readonly schemas: SchemaSet;
}

interface TypedVersion {
  readonly folder: string;
  readonly version: string;
  readonly definition: ResourceDefinition;
}

/** Whether the release of the schemas has the kind in this version and in the stored one. */
function hasTypes(schemas: SchemaSet, { folder, version, definition }: TypedVersion): boolean {
  const { kind, storageVersion, storedIn } = definition;
  const home = storedIn?.folder ?? folder;
  const types = [`${folder}/${version}.${kind}`, `${home}/${storageVersion}.${kind}`];
  return types.every((type) => schemas.find(type) !== undefined);
}

interface Known extends Pick<CatalogueSources, 'naming' | 'groups'> {
  readonly resources: readonly ServedResource[];
}

/** Made once for the replicas of a process. */
const known = new WeakMap<SchemaSet, Known>();

/** All resources in all versions whose types the schemas have, in the order of the catalogue. */
export function everyVersion(sources: CatalogueSources): readonly ServedResource[] {
  const { naming, groups, schemas } = sources;
  const last = known.get(schemas);
  if (last?.naming === naming && last.groups === groups) return last.resources;
  const resources = allOf(sources);
  known.set(schemas, { naming, groups, resources });
  return resources;
}

function allOf({ naming, groups, schemas }: CatalogueSources): ServedResource[] {
  return groups.flatMap(({ group, folder, resources }) =>
    resources.flatMap((definition) =>
      definition.versions
        .filter(({ version }) => hasTypes(schemas, { folder, version, definition }))
        .map(({ version }) =>
          createServedResource({
            group: expandNames(group, naming),
            ...{ folder, version, definition, schemas, naming },
          }),
        ),
    ),
  );
}
