/** Aggregated discovery (`APIGroupDiscoveryList`, KEP-3352), negotiated by the Accept header. */
import type { SubresourceDefinition } from '../../api/types.ts';
import type { JsonObject } from '../../base/json.ts';
import type { MediaTypeOffer } from '../../codec/media-type.ts';
import { negotiate } from '../../codec/media-type.ts';
import { writesZeroTime } from '../../codec/watch-frame.ts';
import type { GroupVersionKind } from '../../meta/gvk.ts';
import { discoveryGroup, expandNames } from '../../meta/naming.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ServedResource } from '../../registry/types.ts';
import type { DiscoveryGroup, DiscoveryVersion } from './discovery-groups.ts';
import { remoteResourceItems } from './remote-resource-items.ts';

const kind = 'APIGroupDiscoveryList';

/** Versions of the document that are served, none without the gates' leave (KEP-3352). */
export function aggregatedVersions(isFeatureEnabled: (gate: string) => boolean): ReadonlySet<string> {
  if (!isFeatureEnabled('AggregatedDiscoveryEndpoint')) return new Set();
  return new Set(isFeatureEnabled('AggregatedDiscoveryRemoveBetaType') ? ['v2'] : ['v2', 'v2beta1']);
}

/** `/api` lists the core group, `/apis` all others. */
export type DiscoveryRoot = '/api' | '/apis';

/** A requested form of the document. */
export interface AggregatedForm {
  readonly version: string;
  readonly essence: string;
}

/**
 * The aggregated form that the client prefers; undefined if it prefers an unaggregated one.
 * @param essences supported media types of the document: JSON, Protobuf, CBOR
 * @param versions that are served; none where the document is not
 */
export function aggregatedForm(
  accept: string,
  naming: NamingProfile,
  { essences, versions }: { readonly essences: readonly string[]; readonly versions: ReadonlySet<string> },
): AggregatedForm | undefined {
  const isAggregated = (params: ReadonlyMap<string, string>): boolean =>
    params.get('as') === kind &&
    params.get('g') === discoveryGroup(naming) &&
    versions.has(params.get('v') ?? '');
  const aggregated = essences.map((essence) => ({ essence, accepts: isAggregated }));
  const plain = [...essences, 'application/yaml'].map((essence) => ({ essence, accepts: isPlain }));
  const chosen = negotiate<MediaTypeOffer>(accept, [...aggregated, ...plain]);
  if (chosen?.offer.accepts !== isAggregated) return undefined;
  return { version: chosen.params.get('v') ?? '', essence: chosen.offer.essence };
}

function isPlain(params: ReadonlyMap<string, string>): boolean {
  return !params.has('as');
}

export function aggregatedMediaType(naming: NamingProfile, { version, essence }: AggregatedForm): string {
  return `${essence};g=${discoveryGroup(naming)};v=${version};as=${kind}`;
}

/** The document, made resource by resource: with thousands of definitions that takes longer than a turn may. */
export function* aggregatedDocument(
  naming: NamingProfile,
  groups: readonly DiscoveryGroup[],
  [root, version]: readonly [root: DiscoveryRoot, version: string],
): Generator<void, JsonObject, void> {
  const time = isTimeWritten(groups) ? { creationTimestamp: null } : {};
  const items: JsonObject[] = [];
  for (const group of groups)
    if ((group.group === '') === (root === '/api')) items.push(yield* groupItem(group, time));
  return { kind, apiVersion: `${discoveryGroup(naming)}/${version}`, metadata: {}, items };
}

/**
 * Whether metadata have the time of creation that the items lack, as those of other objects of the release. The core group
 * says so for all: schemas of custom resources have to be parsed first, which took 700 ms of one turn for 180 large ones.
 */
function isTimeWritten(groups: readonly DiscoveryGroup[]): boolean {
  const core = groups.find(({ group }) => group === '');
  return core?.versions.some(({ local }) => local?.resources.some(writesZeroTime)) === true;
}

function* groupItem(
  { group, versions: served }: DiscoveryGroup,
  time: JsonObject,
): Generator<void, JsonObject, void> {
  const items: JsonObject[] = [];
  for (const version of served) items.push(yield* versionItem(group, version));
  return { metadata: { ...(group !== '' && { name: group }), ...time }, versions: items };
}

/** What another server cannot confirm now is stale: clients keep it, and know. */
function* versionItem(
  group: string,
  { version, local, remote }: DiscoveryVersion,
): Generator<void, JsonObject, void> {
  if (local) {
    const items: JsonObject[] = [];
    for (const resource of [...local.resources].sort(byPlural)) {
      items.push(resourceItem(resource));
      yield;
    }
    return { version, resources: items, freshness: 'Current' };
  }
  const resources = remoteResourceItems(remote.resources, { group, version });
  return { version, resources, freshness: remote.isFresh ? 'Current' : 'Stale' };
}

function byPlural(a: ServedResource, b: ServedResource): number {
  return a.gvr.resource < b.gvr.resource ? -1 : 1;
}

function resourceItem(resource: ServedResource): JsonObject {
  const { definition, gvk, gvr, namespaced } = resource;
  const { shortNames, categories, subresources } = definition;
  const parts = [...subresources].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    resource: gvr.resource,
    responseKind: kindItem(gvk),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: definition.singular ?? gvk.kind.toLowerCase(),
    verbs: [...definition.verbs].sort(),
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
    ...(parts.length > 0 && { subresources: parts.map((part) => subresourceItem(resource, part)) }),
  };
}

function subresourceItem({ gvk, naming }: ServedResource, subresource: SubresourceDefinition): JsonObject {
  const foreign = subresource.kind;
  const own = foreign ? { ...foreign, group: expandNames(foreign.group, naming) } : gvk;
  return {
    subresource: subresource.name,
    responseKind: kindItem(own),
    verbs: [...subresource.verbs].sort(),
  };
}

function kindItem({ group, version, kind: name }: GroupVersionKind): JsonObject {
  return { group, version, kind: name };
}
