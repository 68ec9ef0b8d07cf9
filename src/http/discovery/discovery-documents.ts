/** Discovery documents: the groups, versions and resources that are served. */
import { createHash } from 'node:crypto';
import type { SubresourceDefinition } from '../../api/types.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { expandNames } from '../../meta/naming.ts';
import type { ServedGroup, ServedResource } from '../../registry/types.ts';
import type { DiscoveryGroup } from './discovery-groups.ts';

export interface GroupVersionDocument {
  readonly groupVersion: string;
  readonly version: string;
}

export interface ApiGroupDocument {
  readonly kind?: 'APIGroup';
  readonly apiVersion?: 'v1';
  readonly name: string;
  readonly versions: readonly GroupVersionDocument[];
  readonly preferredVersion: GroupVersionDocument;
}

export interface ApiResourceDocument {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

export interface ApiResourceListDocument {
  readonly kind: 'APIResourceList';
  readonly apiVersion: 'v1';
  readonly groupVersion: string;
  readonly resources: readonly ApiResourceDocument[];
}

/** `/api`: versions of the core group, and the server address. */
export function apiVersionsDocument(groups: readonly DiscoveryGroup[], serverAddress: string): object {
  const core = groups.find((g) => g.group === '');
  return {
    kind: 'APIVersions',
    versions: (core?.versions ?? []).map((v) => v.version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** `/apis`: every named group, preferred ones first, made group by group. */
export function* apiGroupListDocument(groups: readonly DiscoveryGroup[]): Generator<void, object, void> {
  const entries: ApiGroupDocument[] = [];
  for (const group of groups) {
    if (group.group !== '') entries.push(groupEntry(group));
    yield;
  }
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: entries };
}

/** `/apis/<group>`. */
export function apiGroupDocument(group: DiscoveryGroup): ApiGroupDocument {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) };
}

/** `/api/v1` and `/apis/<group>/<version>`: resources and their subresources by name, made resource by resource. */
export function* apiResourceListDocument(
  group: string,
  version: ServedGroup['versions'][number],
  { hasHashes }: { readonly hasHashes: boolean } = { hasHashes: true },
): Generator<void, ApiResourceListDocument, void> {
  const resources: ApiResourceDocument[] = [];
  for (const resource of version.resources) {
    resources.push(...resourceEntries(resource, hasHashes));
    yield;
  }
  resources.sort((a, b) => (a.name < b.name ? -1 : 1));
  const groupVersion = apiVersionOf({ group, version: version.version });
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}

function groupEntry({ group, versions }: DiscoveryGroup): ApiGroupDocument {
  const all = versions.map(({ version }) => ({ groupVersion: apiVersionOf({ group, version }), version }));
  const [preferredVersion = { groupVersion: '', version: '' }] = all;
  return { name: group, versions: all, preferredVersion };
}

function resourceEntries(resource: ServedResource, hasHashes: boolean): ApiResourceDocument[] {
  const { definition, namespaced, gvk, gvr } = resource;
  const { shortNames, categories } = definition;
  const own: ApiResourceDocument = {
    name: gvr.resource,
    singularName: definition.singular ?? '',
    namespaced,
    kind: gvk.kind,
    verbs: [...definition.verbs].sort(),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(hasHashes && definition.virtual !== true && { storageVersionHash: storageVersionHash(resource) }),
  };
  return [own, ...definition.subresources.map((s) => subresourceEntry(resource, s))];
}

function subresourceEntry(resource: ServedResource, subresource: SubresourceDefinition): ApiResourceDocument {
  const { gvk, gvr, namespaced, naming } = resource;
  const group = expandNames(subresource.kind?.group ?? gvk.group, naming);
  const version = subresource.kind?.version ?? gvk.version;
  const isForeign = group !== gvk.group || version !== gvk.version;
  return {
    name: `${gvr.resource}/${subresource.name}`,
    singularName: '',
    namespaced,
    ...(isForeign && { group, version }),
    kind: subresource.kind?.kind ?? gvk.kind,
    verbs: [...subresource.verbs].sort(),
  };
}

/** Changes with the storage version of a resource; opaque to clients. */
function storageVersionHash({ storage }: ServedResource): string {
  const { group, version, kind } = storage.gvk;
  const digest = createHash('sha256').update(`${group}/${version}/${kind}`).digest();
  return digest.subarray(0, 8).toString('base64');
}
