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
 * served but not registered yet stands at the end, so that it is not hidden for that time. Made in steps, for there may
 * be thousands.
 * @param registered in the order of discovery
 */
export function* discoveryGroups(
  catalogue: ResourceCatalogue,
  registered: readonly RegisteredApi[],
): Generator<void, DiscoveryGroup[], void> {
  const known = yield* registeredByGroup(registered);
  const served = new Map<string, ServedGroup['versions']>();
  for (const { group, versions } of catalogue.groups()) {
    served.set(group, versions);
    yield;
  }
  const groups: DiscoveryGroup[] = [];
  for (const group of namesInOrder(catalogue, known, served)) {
    const versions = versionsOf(served.get(group) ?? [], known.get(group) ?? []);
    if (versions.length > 0) groups.push({ group, versions });
    yield;
  }
  return groups;
}

function* registeredByGroup(
  registered: readonly RegisteredApi[],
): Generator<void, ReadonlyMap<string, readonly RegisteredApi[]>, void> {
  const byGroup = new Map<string, RegisteredApi[]>();
  for (const api of registered) {
    const known = byGroup.get(api.group);
    if (known) known.push(api);
    else byGroup.set(api.group, [api]);
    yield;
  }
  return byGroup;
}

/** Each once. */
function* namesInOrder(
  { naming }: ResourceCatalogue,
  known: ReadonlyMap<string, unknown>,
  served: ReadonlyMap<string, unknown>,
): Generator<string, void, void> {
  const own = expandNames('apiregistration.{api}', naming);
  if (served.has(own)) yield own;
  for (const group of known.keys()) if (group !== own || !served.has(own)) yield group;
  for (const group of served.keys()) if (group !== own && !known.has(group)) yield group;
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
