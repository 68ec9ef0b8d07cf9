/** One built-in resource in one version: its schema, its conversions and its defaults under one roof. */
import type {
  ApiContext,
  ResourceDefinition,
  ResourceVersionDefinition,
  SubresourceDefinition,
} from '../api/types.ts';
import type { JsonObject } from '../base/json.ts';
import type { GroupVersion } from '../meta/gvk.ts';
import { apiVersionOf } from '../meta/gvk.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { asApiObject } from '../meta/object.ts';
import { applyStaticDefaults } from '../schema/default.ts';
import type { SchemaSet } from '../schema/load-proto.ts';
import type { ServedResource } from './types.ts';

export interface ServedResourceParts {
  /** Expanded group name. */
  readonly group: string;
  readonly folder: string;
  readonly version: string;
  readonly definition: ResourceDefinition;
  readonly schemas: SchemaSet;
  readonly naming: NamingProfile;
}

/** Throws when the definition names a version or a type that the catalogue does not describe (a defect, found at start). */
export function createServedResource(parts: ServedResourceParts): ServedResource {
  const { definition, group, version, naming } = parts;
  const { kind, plural, storageVersion } = definition;
  const schema = parts.schemas.get(`${parts.folder}/${version}.${kind}`);
  const ownVersion = versionDefinition(definition, version);
  const subresources = new Map(definition.subresources.map((s) => [s.name, s]));
  const storageGvk = { group, version: storageVersion, kind };
  return {
    gvr: { group, version, resource: plural },
    gvk: { group, version, kind },
    listKind: `${kind}List`,
    namespaced: definition.namespaced,
    definition,
    naming,
    schema,
    storage: {
      collection: `${group === '' ? 'core' : group}/${plural}`,
      gvk: storageGvk,
      schema: parts.schemas.get(`${parts.folder}/${storageVersion}.${kind}`),
    },
    isStorageVersion: version === storageVersion,
    subresource: (name): SubresourceDefinition | undefined => subresources.get(name),
    fromStorage: (object) =>
      withVersion(ownVersion.fromStorage?.(object, naming) ?? object, { group, version }),
    toStorage: (object) => withVersion(ownVersion.toStorage?.(object, naming) ?? object, storageGvk),
    applyDefaults(object: JsonObject, context: ApiContext): void {
      applyStaticDefaults(schema, object, context.isFeatureEnabled);
      ownVersion.applyDefaults?.(asApiObject(object), context);
    },
  };
}

function withVersion(object: JsonObject, gv: GroupVersion): JsonObject {
  object['apiVersion'] = apiVersionOf(gv);
  return object;
}

function versionDefinition(definition: ResourceDefinition, version: string): ResourceVersionDefinition {
  const found = definition.versions.find((v) => v.version === version);
  if (!found) throw new Error(`${definition.kind} has no version ${version}`);
  return found;
}
