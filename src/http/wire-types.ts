/** Types by what a message's envelope says: what Protobuf bodies and answers need beyond the resource they belong to. */
import { parseApiVersion } from '../meta/gvk.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { discoveryGroup, metaGroup } from '../meta/naming.ts';
import type { ResourceCatalogue, ServedResource } from '../registry/types.ts';
import type { SchemaSet } from '../schema/load-proto.ts';
import type { StructSchema } from '../schema/types.ts';

export interface WireTypes {
  readonly naming: NamingProfile;
  /** The type of a kind in a group version that is served; undefined when there is none, or it has no Protobuf form. */
  find(apiVersion: string, kind: string): StructSchema | undefined;
}

/** Types that every group version has under its own name, as clients write them. */
const everywhere: ReadonlySet<string> = new Set([
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
]);

/** Types of the API itself; they stand in `v1` and in the group of metadata. */
const machinery: ReadonlySet<string> = new Set([
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
  'List',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
  'Status',
]);

/** Whether a resource's objects have a Protobuf form: built-in kinds have, custom resources have not. */
export function hasProtobuf({ schema }: ServedResource): boolean {
  return schema.name !== '';
}

export function createWireTypes(catalogue: () => ResourceCatalogue, schemas: SchemaSet): WireTypes {
  return {
    naming: catalogue().naming,
    find(apiVersion, kind) {
      const name = typeName(catalogue(), apiVersion, kind);
      const schema = name === undefined ? undefined : schemas.find(name);
      return schema?.type === 'struct' && schema.jsonOnly !== true ? schema : undefined;
    },
  };
}

function typeName(catalogue: ResourceCatalogue, apiVersion: string, kind: string): string | undefined {
  // The list of the core group's versions is the one document that does not say its own version.
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: 'v1' };
  const served = catalogue.kind(group, version, kind);
  if (served) return served.schema.name;
  const isMeta = group === metaGroup(catalogue.naming);
  if (group === discoveryGroup(catalogue.naming)) return `${folderOf(group)}/${version}.${kind}`;
  if (isMeta || (group === '' && machinery.has(kind))) return `meta/v1.${kind}`;
  if (!hasVersion(catalogue, group, version)) return undefined;
  return everywhere.has(kind) ? `meta/v1.${kind}` : `${folderOf(group)}/${version}.${kind}`;
}

function hasVersion(catalogue: ResourceCatalogue, group: string, version: string): boolean {
  return catalogue.groups().some((g) => g.group === group && g.versions.some((v) => v.version === version));
}

/** The folder of a group's types is called by the group's first word. */
function folderOf(group: string): string {
  return group === '' ? 'core' : (group.split('.', 1)[0] ?? '');
}
