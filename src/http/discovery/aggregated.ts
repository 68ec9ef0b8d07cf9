/** All of discovery in one document (`APIGroupDiscoveryList`), for clients that ask for it by their Accept header. */
import type { SubresourceDefinition } from '../../api/types.ts';
import type { MediaTypeOffer } from '../../codec/media-type.ts';
import { negotiate } from '../../codec/media-type.ts';
import type { GroupVersionKind } from '../../meta/gvk.ts';
import { expandNames } from '../../meta/naming.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { ResourceCatalogue, ServedGroup, ServedResource } from '../../registry/types.ts';

const kind = 'APIGroupDiscoveryList';
const versions: ReadonlySet<string> = new Set(['v2', 'v2beta1']);
const plainOffers: readonly MediaTypeOffer[] = ['application/json', 'application/yaml'].map((essence) => ({
  essence,
  accepts: (params) => !params.has('as'),
}));

/** `/api` tells of the core group, `/apis` of all others. */
export type DiscoveryRoot = '/api' | '/apis';

/** The version of the document that is asked for before any plain form; undefined: a plain form is wanted. */
export function aggregatedVersion(accept: string, naming: NamingProfile): string | undefined {
  const offer: MediaTypeOffer = {
    essence: 'application/json',
    accepts: (params) =>
      params.get('as') === kind && params.get('g') === groupOf(naming) && versions.has(params.get('v') ?? ''),
  };
  const chosen = negotiate(accept, [offer, ...plainOffers]);
  return chosen?.offer === offer ? chosen.params.get('v') : undefined;
}

export function aggregatedMediaType(naming: NamingProfile, version: string): string {
  return `application/json;g=${groupOf(naming)};v=${version};as=${kind}`;
}

export function aggregatedDocument(
  catalogue: ResourceCatalogue,
  root: DiscoveryRoot,
  version: string,
): object {
  const groups = catalogue.groups().filter(({ group }) => (group === '') === (root === '/api'));
  return {
    kind,
    apiVersion: `${groupOf(catalogue.naming)}/${version}`,
    metadata: {},
    items: groups.map(groupItem),
  };
}

function groupOf(naming: NamingProfile): string {
  return `apidiscovery.${naming.apiDomain}`;
}

function groupItem({ group, versions: served }: ServedGroup): object {
  return {
    metadata: { ...(group !== '' && { name: group }), creationTimestamp: null },
    versions: served.map(({ version, resources }) => ({
      version,
      resources: [...resources].sort(byPlural).map(resourceItem),
      freshness: 'Current',
    })),
  };
}

function byPlural(a: ServedResource, b: ServedResource): number {
  return a.gvr.resource < b.gvr.resource ? -1 : 1;
}

function resourceItem(resource: ServedResource): object {
  const { definition, gvk, gvr, namespaced } = resource;
  const { shortNames, categories, subresources } = definition;
  const parts = [...subresources].sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    resource: gvr.resource,
    responseKind: kindItem(gvk),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: gvk.kind.toLowerCase(),
    verbs: [...definition.verbs].sort(),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(parts.length > 0 && { subresources: parts.map((part) => subresourceItem(resource, part)) }),
  };
}

function subresourceItem({ gvk, naming }: ServedResource, subresource: SubresourceDefinition): object {
  const foreign = subresource.kind;
  const own = foreign ? { ...foreign, group: expandNames(foreign.group, naming) } : gvk;
  return {
    subresource: subresource.name,
    responseKind: kindItem(own),
    verbs: [...subresource.verbs].sort(),
  };
}

function kindItem({ group, version, kind: name }: GroupVersionKind): object {
  return { group, version, kind: name };
}
