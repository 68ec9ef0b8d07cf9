/** The groups that discovery shows: those of the catalogue and of other servers, ordered by their APIServices. */
import { expandNames } from '../../meta/naming.ts';
import type { ResourceCatalogue, ServedGroup } from '../../registry/types.ts';
import type { RegisteredApi, RemoteApi } from '../remote-apis.ts';

export interface DiscoveryGroup {
  readonly group: string;
  /** Preferred first. */
  readonly versions: readonly DiscoveryVersion[];
}

/** Served here or by another server. */
export type DiscoveryVersion =
  | { readonly version: string; readonly local: ServedGroup['versions'][number]; readonly remote?: undefined }
  | { readonly version: string; readonly local?: undefined; readonly remote: RemoteApi };

/**
 * The group of APIServices stands first, as in kube-aggregator; then the registered ones in their order. What is
 * served but not registered yet stands at the end, so that it is not hidden for that time.
 * @param registered in the order of discovery
 */
export function discoveryGroups(
  catalogue: ResourceCatalogue,
  registered: readonly RegisteredApi[],
): DiscoveryGroup[] {
  const served = new Map(catalogue.groups().map((group) => [group.group, group.versions]));
  const byGroup = Map.groupBy(registered, ({ group }) => group);
  const own = expandNames('apiregistration.{api}', catalogue.naming);
  const names = new Set([...(served.has(own) ? [own] : []), ...byGroup.keys(), ...served.keys()]);
  return [...names]
    .map((group) => ({ group, versions: versionsOf(served.get(group) ?? [], byGroup.get(group) ?? []) }))
    .filter(({ versions }) => versions.length > 0);
}

function versionsOf(
  served: ServedGroup['versions'],
  registered: readonly RegisteredApi[],
): DiscoveryVersion[] {
  const local = new Map(served.map((version) => [version.version, version]));
  const known = registered.flatMap(({ version, remote }): DiscoveryVersion[] => {
    const here = local.get(version);
    local.delete(version);
    if (remote) return [{ version, remote }];
    return here ? [{ version, local: here }] : [];
  });
  return [...known, ...[...local].map(([version, here]) => ({ version, local: here }))];
}
