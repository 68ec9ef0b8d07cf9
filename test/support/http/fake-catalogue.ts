/** A small catalogue for tests of the HTTP room: no schemas, no storage. */
import type { ColumnDefinition, ResourceDefinition, SubresourceDefinition } from '../../../src/api/types.ts';
import { allVerbs } from '../../../src/api/types.ts';
import type { NamingProfile } from '../../../src/meta/naming.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import type { ResourceCatalogue, ServedGroup, ServedResource } from '../../../src/registry/types.ts';
import type { StructSchema } from '../../../src/schema/types.ts';

const schema: StructSchema = {
  type: 'struct',
  name: '',
  doc: '',
  fields: new Map(),
  mapType: 'granular',
  preserveUnknown: true,
};

export interface FakeResource {
  readonly group?: string;
  readonly version?: string;
  readonly storageVersion?: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs?: readonly string[];
  readonly subresources?: readonly SubresourceDefinition[];
  readonly columns?: readonly ColumnDefinition[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly virtual?: boolean;
  /** Name of its type, as built-in kinds have one. */
  readonly typeName?: string;
  readonly deleteReturns?: 'status' | 'object';
  readonly deprecatedIn?: string;
  readonly removedIn?: string;
  readonly replacement?: string;
}

export const statusSubresource: SubresourceDefinition = {
  name: 'status',
  verbs: ['get', 'patch', 'update'],
  type: 'object',
};

export const bindingSubresource: SubresourceDefinition = {
  name: 'binding',
  kind: { group: '', version: 'v1', kind: 'Binding' },
  verbs: ['create'],
  type: 'action',
  handler: 'binding',
};

/** Makes a catalogue of resources; groups keep the order of their first resource. */
export function fakeCatalogue(
  resources: readonly FakeResource[],
  naming: NamingProfile = namingProfiles.orch,
): ResourceCatalogue {
  const served = resources.map((r) => fakeResource(r, naming));
  const groups = [...new Set(served.map((r) => r.gvr.group))].map((group) => groupOf(group, served));
  return {
    naming,
    groups: () => groups,
    resource: (group, version, plural) =>
      served.find((r) => r.gvr.group === group && r.gvr.version === version && r.gvr.resource === plural),
    kind: (group, version, kind) =>
      served.find((r) => r.gvk.group === group && r.gvk.version === version && r.gvk.kind === kind),
  };
}

function groupOf(group: string, served: readonly ServedResource[]): ServedGroup {
  const own = served.filter((r) => r.gvr.group === group);
  const versions = [...new Set(own.map((r) => r.gvr.version))];
  return {
    group,
    versions: versions.map((version) => ({
      version,
      versionPriority: 1,
      enabledByDefault: true,
      served: true,
      resources: own.filter((r) => r.gvr.version === version),
    })),
  };
}

function fakeResource(fake: FakeResource, naming: NamingProfile): ServedResource {
  const { group = '', version = 'v1', kind, plural, namespaced } = fake;
  const storageVersion = fake.storageVersion ?? version;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const gvk = { group, version, kind };
  return {
    gvr: { group, version, resource: plural },
    gvk,
    listKind: `${kind}List`,
    namespaced,
    naming,
    definition: definitionOf(fake, version, storageVersion),
    schema: { ...schema, name: fake.typeName ?? '' },
    storage: {
      collection: `${group === '' ? 'core' : group}/${plural}`,
      gvk: { group, version: storageVersion, kind },
      schema,
    },
    subresource: (name) => fake.subresources?.find((s) => s.name === name),
    subresourceSchema: () => undefined,
    structure: (value) => ({ value, unknown: [], errors: [] }),
    conversion: {
      isInternal: version === storageVersion,
      fromInternal: (object) => ({ ...object, apiVersion }),
      toInternal: (object) => object,
      internalFrom: (object) => object,
    },
    applyDefaults: () => undefined,
  };
}

function definitionOf(fake: FakeResource, version: string, storageVersion: string): ResourceDefinition {
  const { deprecatedIn, removedIn, replacement } = fake;
  return {
    kind: fake.kind,
    plural: fake.plural,
    shortNames: fake.shortNames ?? [],
    categories: fake.categories ?? [],
    namespaced: fake.namespaced,
    verbs: fake.verbs ?? allVerbs,
    versions: [
      {
        version,
        ...(deprecatedIn !== undefined && { deprecatedIn }),
        ...(removedIn !== undefined && { removedIn }),
        ...(replacement !== undefined && { replacement }),
      },
    ],
    storageVersion,
    validateName: () => [],
    strategy: {
      createOnUpdate: false,
      unconditionalUpdate: true,
      deleteReturns: fake.deleteReturns ?? 'status',
      defaultPropagation: 'Background',
    },
    subresources: fake.subresources ?? [],
    columns: fake.columns ?? [],
    selectableFields: {},
    ...(fake.virtual !== undefined && { virtual: fake.virtual }),
  };
}

/** Resources of every shape that routing tells apart. */
export const standardResources: readonly FakeResource[] = [
  {
    kind: 'Pod',
    plural: 'pods',
    typeName: 'core/v1.Pod',
    namespaced: true,
    shortNames: ['po'],
    categories: ['all'],
    subresources: [statusSubresource, bindingSubresource],
    columns: [
      {
        name: 'Name',
        type: 'string',
        format: 'name',
        priority: 0,
        description: 'Name.',
        cell: (object) => object.metadata.name ?? '',
      },
      {
        name: 'Broken',
        type: 'string',
        format: '',
        priority: 1,
        description: 'Throws.',
        cell: () => {
          throw new Error('odd object');
        },
      },
    ],
  },
  { kind: 'Node', plural: 'nodes', namespaced: false, deleteReturns: 'object' },
  { kind: 'Namespace', plural: 'namespaces', namespaced: false, subresources: [statusSubresource] },
  { kind: 'Binding', plural: 'bindings', namespaced: true, verbs: ['create'], virtual: true },
  { group: 'apps', kind: 'Deployment', plural: 'deployments', namespaced: true },
  {
    group: 'apps',
    version: 'v1beta1',
    storageVersion: 'v1',
    kind: 'Deployment',
    plural: 'deployments',
    namespaced: true,
    deprecatedIn: '1.20',
    removedIn: '1.25',
    replacement: 'apps/v1 Deployment',
  },
];
