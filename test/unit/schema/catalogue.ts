/** The real catalogue, loaded once per test file. */
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { checkStructure } from '../../../src/schema/structure.ts';

export const schemas = loadCatalogueSchemas(namingProfiles.orch);

/** Structurally decoded; fails the test when something does not fit. */
export function decoded(type: string, value: JsonObject): JsonObject {
  const result = checkStructure(schemas.get(type), value);
  expect(result.errors).toEqual([]);
  return result.value;
}
