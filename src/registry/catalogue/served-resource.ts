/** A built-in resource in a version: schema, conversions and defaults. */
import type {
  ApiContext,
  ResourceDefinition,
  ResourceVersionDefinition,
  SubresourceDefinition,
} from '../../api/types.ts';
import type { JsonObject } from '../../base/json.ts';
import type { GroupVersion } from '../../meta/gvk.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { expandNames } from '../../meta/naming.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { asApiObject } from '../../meta/object.ts';
import { applyStaticDefaults } from '../../schema/static-defaults.ts';
import type { SchemaSet } from '../../schema/load-proto.ts';
import { checkStructure } from '../../schema/structure.ts';
import type { StructSchema } from '../../schema/types.ts';
import type { ObjectConversion } from '../conversion/object-conversion.ts';
import type { ServedResource, StorageForm } from '../types.ts';
import { collectionOf } from './stored-resources.ts';

export interface ServedResourceParts {
  /** Expanded group name. */
  readonly group: string;
  readonly folder: string;
  readonly version: string;
  readonly definition: ResourceDefinition;
  readonly schemas: SchemaSet;
  readonly naming: NamingProfile;
}

/** Throws if the definition refers to an unknown version or type (a defect, found at start). */
export function createServedResource(parts: ServedResourceParts): ServedResource {
  const { group, version, naming } = parts;
  const definition = definitionIn(parts.definition, version);
  const { kind, plural } = definition;
  const schema = parts.schemas.get(`${parts.folder}/${version}.${kind}`);
  const ownVersion = versionDefinition(definition, version);
  const subresources = new Map(definition.subresources.map((s) => [s.name, s]));
  const storage = storageForm(parts);
  return {
    gvr: { group, version, resource: plural },
    gvk: { group, version, kind },
    listKind: `${kind}List`,
    namespaced: definition.namespaced,
    definition,
    naming,
    schema,
    storage,
    subresource: (name): SubresourceDefinition | undefined => subresources.get(name),
    subresourceSchema: (name) => subresourceSchema(subresources.get(name), parts.schemas),
    structure: (body) => checkStructure(schema, body),
    conversion: conversionOf(parts, { schema, storage }),
    applyDefaults(object: JsonObject, context: ApiContext): void {
      setDefaults(schema, object, context, ownVersion);
    },
  };
}

/** The storage version of built-in resources is their internal version: one that all versions share. */
function conversionOf(
  { group, version, naming, definition }: ServedResourceParts,
  { schema, storage }: Pick<ServedResource, 'schema' | 'storage'>,
): ObjectConversion {
  const own = versionDefinition(definition, version);
  return {
    isInternal: version === storage.gvk.version && group === storage.gvk.group,
    toInternal: (object) => withVersion(own.toStorage?.(object, naming) ?? object, storage.gvk),
    fromInternal(object): JsonObject {
      const read = withVersion(own.fromStorage?.(object, naming) ?? object, { group, version });
      return own.readsAnnotations ? checkStructure(schema, read).value : read;
    },
    internalFrom: (object) => object,
  };
}

/** The definition as a version has it: its subresources, and what a deletion makes of dependents. */
function definitionIn(definition: ResourceDefinition, version: string): ResourceDefinition {
  const { subresources: names, defaultPropagation } = versionDefinition(definition, version);
  if (!names && !defaultPropagation) return definition;
  const subresources = definition.subresources.filter(({ name }) => names?.includes(name) ?? true);
  const strategy = { ...definition.strategy, ...(defaultPropagation && { defaultPropagation }) };
  return { ...definition, subresources, strategy };
}

function storageForm(parts: ServedResourceParts): StorageForm {
  const { kind, storageVersion: version, storedIn } = parts.definition;
  const group = storedIn ? expandNames(storedIn.group, parts.naming) : parts.group;
  const folder = storedIn?.folder ?? parts.folder;
  const schema = parts.schemas.get(`${folder}/${version}.${kind}`);
  const stored = parts.definition.versions.find((own) => own.version === version);
  return {
    collection: collectionOf(parts.group, parts.definition, parts.naming),
    gvk: { group, version, kind },
    schema,
    applyDefaults: (object, context) => {
      setDefaults(schema, object, context, stored);
    },
  };
}

function setDefaults(
  schema: StructSchema,
  object: JsonObject,
  context: ApiContext,
  own: ResourceVersionDefinition | undefined,
): void {
  applyStaticDefaults(schema, object, context.isFeatureEnabled);
  own?.applyDefaults?.(asApiObject(object), context);
}

/** The folder of a group is named by its first label. */
function subresourceSchema(
  subresource: SubresourceDefinition | undefined,
  schemas: SchemaSet,
): StructSchema | undefined {
  const type = subresource?.options ?? subresource?.kind;
  if (!type) return undefined;
  const { group, version, kind } = type;
  return schemas.get(`${group === '' ? 'core' : (group.split('.')[0] ?? '')}/${version}.${kind}`);
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
