/** What goes over the wire besides text: Protobuf, whose types are found by the apiVersion and kind in an envelope, and CBOR. */
import { parseApiVersion } from '../meta/gvk.ts';
import type { NamingProfile } from '../meta/naming.ts';
import { discoveryGroup, metaGroup } from '../meta/naming.ts';
import type { ResourceCatalogue, ServedResource } from '../registry/types.ts';
import type { SchemaSet } from '../schema/load-proto.ts';
import type { StructSchema } from '../schema/types.ts';

export interface WireTypes {
  readonly naming: NamingProfile;
  /** CBOR is accepted and offered (feature gate `CBORServingAndStorage`). */
  readonly speaksCbor: boolean;
  /** The type of a kind in a served group version; undefined if it does not exist or has no Protobuf form. */
  find(apiVersion: string, kind: string): StructSchema | undefined;
}

/** Types that exist in every group version. */
const everywhere: ReadonlySet<string> = new Set([
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
]);

/** Types of the API machinery, in `v1` and in the group of metadata. */
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

/** Whether the objects of a resource have a Protobuf form: built-in kinds do, custom resources do not. */
export function hasProtobuf(resource: ServedResource): boolean {
  // The schema of a custom resource takes a moment to read.
  return resource.description === undefined && resource.schema.name !== '';
}

export function createWireTypes(
  catalogue: () => ResourceCatalogue,
  schemas: SchemaSet,
  { speaksCbor = false }: { readonly speaksCbor?: boolean | undefined } = {},
): WireTypes {
  return {
    naming: catalogue().naming,
    speaksCbor,
    find(apiVersion, kind) {
      const name = typeName(catalogue(), apiVersion, kind);
      const schema = name === undefined ? undefined : schemas.find(name);
      return schema?.type === 'struct' && schema.jsonOnly !== true ? schema : undefined;
    },
  };
}

function typeName(catalogue: ResourceCatalogue, apiVersion: string, kind: string): string | undefined {
  // APIVersions is the only document without its own apiVersion.
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: 'v1' };
  const served = catalogue.kind(group, version, kind);
  if (served) return hasProtobuf(served) ? served.schema.name : undefined;
  const isMeta = group === metaGroup(catalogue.naming);
  if (group === discoveryGroup(catalogue.naming)) return `${folderOf(group)}/${version}.${kind}`;
  if (isMeta || (group === '' && machinery.has(kind))) return `meta/v1.${kind}`;
  if (!hasVersion(catalogue, group, version)) return undefined;
  return everywhere.has(kind) ? `meta/v1.${kind}` : `${folderOf(group)}/${version}.${kind}`;
}

function hasVersion(catalogue: ResourceCatalogue, group: string, version: string): boolean {
  return catalogue.groups().some((g) => g.group === group && g.versions.some((v) => v.version === version));
}

/** The folder of the types of a group is named by its first label. */
function folderOf(group: string): string {
  return group === '' ? 'core' : (group.split('.', 1)[0] ?? '');
}
