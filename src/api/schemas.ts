/** The built-in types: every `.proto` file beside this one (the build copies them next to the emitted code). */
import type { NamingProfile } from '../meta/naming.ts';
import type { SchemaSet } from '../schema/load-proto.ts';
import { loadSchemas } from '../schema/load-proto.ts';

const loaded = new Map<NamingProfile, SchemaSet>();

/** Reads all catalogue files; a fraction of a second, so once per process and profile. */
export function loadCatalogueSchemas(naming: NamingProfile): SchemaSet {
  const known = loaded.get(naming) ?? loadSchemas(import.meta.dirname, naming);
  loaded.set(naming, known);
  return known;
}
