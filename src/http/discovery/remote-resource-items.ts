/** The resources of another server in aggregated discovery: its flat list, with subresources below their resource. */
import type { JsonObject } from '../../base/json.ts';
import type { GroupVersion } from '../../meta/gvk.ts';
import type { DiscoveredResource } from '../../meta/discovered-resource.ts';

/** Subresources of resources that the list lacks are left out: they have no place in this form. */
export function remoteResourceItems(
  resources: readonly DiscoveredResource[],
  gv: GroupVersion,
): JsonObject[] {
  const parts = Map.groupBy(
    resources.filter(({ name }) => name.includes('/')),
    ({ name }) => name.slice(0, name.indexOf('/')),
  );
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => ({
      resource: resource.name,
      responseKind: kindItem(resource, gv),
      scope: resource.namespaced ? 'Namespaced' : 'Cluster',
      singularResource: resource.singularName,
      verbs: [...resource.verbs],
      ...(resource.shortNames.length > 0 && { shortNames: [...resource.shortNames] }),
      ...(resource.categories.length > 0 && { categories: [...resource.categories] }),
      ...subresources(parts.get(resource.name) ?? [], gv),
    }));
}

function subresources(parts: readonly DiscoveredResource[], gv: GroupVersion): JsonObject {
  if (parts.length === 0) return {};
  const items = parts.map((part) => ({
    subresource: part.name.slice(part.name.indexOf('/') + 1),
    responseKind: kindItem(part, gv),
    verbs: [...part.verbs],
  }));
  return { subresources: items };
}

function kindItem(resource: DiscoveredResource, gv: GroupVersion): JsonObject {
  const { group, version } = resource.version === '' ? gv : resource;
  return { group, version, kind: resource.kind };
}
