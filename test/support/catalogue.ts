/** The real catalogue of a profile and a release, as a replica serves it; every version is on. */
import { builtInGroups } from '../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../src/api/schemas.ts';
import type { NamingProfile } from '../../src/meta/naming.ts';
import { currentRelease, type Release } from '../../src/observe/release.ts';
import { buildCatalogue } from '../../src/registry/catalogue/catalogue.ts';
import type { ResourceCatalogue } from '../../src/registry/types.ts';
import type { SchemaSet } from '../../src/schema/load-proto.ts';

export interface RealCatalogue {
  readonly catalogue: ResourceCatalogue;
  readonly schemas: SchemaSet;
}

export function realCatalogue(naming: NamingProfile, release: Release = currentRelease): RealCatalogue {
  const schemas = loadCatalogueSchemas(naming, release.minor);
  const catalogue = buildCatalogue({
    naming,
    groups: builtInGroups,
    schemas,
    isEnabled: () => true,
    release,
  });
  return { catalogue, schemas };
}
