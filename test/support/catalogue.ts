/** The real catalogue of a profile, as a replica serves it; every version is on. */
import { builtInGroups } from '../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../src/api/schemas.ts';
import type { NamingProfile } from '../../src/meta/naming.ts';
import { buildCatalogue } from '../../src/registry/catalogue/catalogue.ts';
import type { ResourceCatalogue } from '../../src/registry/types.ts';
import type { SchemaSet } from '../../src/schema/load-proto.ts';

export interface RealCatalogue {
  readonly catalogue: ResourceCatalogue;
  readonly schemas: SchemaSet;
}

export function realCatalogue(naming: NamingProfile): RealCatalogue {
  const schemas = loadCatalogueSchemas(naming);
  const catalogue = buildCatalogue({ naming, groups: builtInGroups, schemas, isEnabled: () => true });
  return { catalogue, schemas };
}
