/** The built-in types: every `.proto` file beside this one (the build copies them next to the emitted code). */
import type { NamingProfile } from '../meta/naming.ts';
import type { SchemaSet } from '../schema/load-proto.ts';
import { loadSchemas } from '../schema/load-proto.ts';

/** Reads all catalogue files; a fraction of a second, so once per process and profile. */
export function loadCatalogueSchemas(naming: NamingProfile): SchemaSet {
  return loadSchemas(import.meta.dirname, naming);
}
