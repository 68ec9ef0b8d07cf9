/** The built-in types: every `.proto` file beside this one (the build copies them next to the emitted code). */
import type { NamingProfile } from '../meta/naming.ts';
import { loadSchemas, type SchemaSet } from '../schema/load-proto.ts';
import { schemaRelease } from '../schema/schema-release.ts';

const loaded = new WeakMap<NamingProfile, Map<number, SchemaSet>>();

/** The release of the specification, 1.21. */
const specifiedMinor = 21;

/**
 * Reads the catalogue files as a release 1.N has them; a fraction of a second, so once per process, profile and release.
 * @param minor N of the emulated release
 */
export function loadCatalogueSchemas(naming: NamingProfile, minor: number = specifiedMinor): SchemaSet {
  const ofProfile = loaded.get(naming) ?? new Map<number, SchemaSet>();
  loaded.set(naming, ofProfile);
  const known = ofProfile.get(minor) ?? loadSchemas(import.meta.dirname, naming, schemaRelease(minor));
  ofProfile.set(minor, known);
  return known;
}
