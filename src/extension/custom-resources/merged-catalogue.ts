/** Merges the built-in catalogue and custom resources. */
import type { GroupVersionKind } from '../../meta/gvk.ts';
import type { ResourceCatalogue, ServedGroup, ServedResource } from '../../registry/types.ts';
import { byPreference } from './version-order.ts';

type ServedVersion = ServedGroup['versions'][number];

/** A look-up takes one or two map accesses. Built-in resources cannot be replaced. */
export function mergeCatalogue(
  builtIn: ResourceCatalogue,
  custom: readonly ServedResource[],
): ResourceCatalogue {
  const added = custom.filter(({ gvr, gvk }) => !isTaken(builtIn, gvr.resource, gvk));
  if (added.length === 0) return { ...builtIn };
  const byResource = new Map(added.map((r) => [`${r.gvr.group}/${r.gvr.version}/${r.gvr.resource}`, r]));
  const byKind = new Map(added.map((r) => [`${r.gvk.group}/${r.gvk.version}/${r.gvk.kind}`, r]));
  const groups = mergedGroups(builtIn.groups(), added);
  return {
    naming: builtIn.naming,
    groups: () => groups,
    resource: (group, version, plural) =>
      builtIn.resource(group, version, plural) ?? byResource.get(`${group}/${version}/${plural}`),
    kind: (group, version, kind) =>
      builtIn.kind(group, version, kind) ?? byKind.get(`${group}/${version}/${kind}`),
  };
}

function isTaken(
  builtIn: ResourceCatalogue,
  plural: string,
  { group, version, kind }: GroupVersionKind,
): boolean {
  return (
    builtIn.resource(group, version, plural) !== undefined || builtIn.kind(group, version, kind) !== undefined
  );
}

/** Built-in groups keep their order, with built-in versions first; others follow by name. */
function mergedGroups(builtIn: readonly ServedGroup[], custom: readonly ServedResource[]): ServedGroup[] {
  const byGroup = Map.groupBy(custom, ({ gvr }) => gvr.group);
  const known = new Set(builtIn.map(({ group }) => group));
  const fresh = [...byGroup.keys()].filter((group) => !known.has(group)).sort();
  return [
    ...builtIn.map((group) => extended(group, byGroup.get(group.group) ?? [])),
    ...fresh.map((group) => extended({ group, versions: [] }, byGroup.get(group) ?? [])),
  ];
}

function extended(group: ServedGroup, custom: readonly ServedResource[]): ServedGroup {
  if (custom.length === 0) return group;
  const byVersion = Map.groupBy(custom, ({ gvr }) => gvr.version);
  const known = new Set(group.versions.map(({ version }) => version));
  const fresh = [...byVersion.keys()].filter((version) => !known.has(version)).sort(byPreference);
  return {
    group: group.group,
    versions: [
      ...group.versions.map((version) => withResources(version, byVersion.get(version.version) ?? [])),
      ...fresh.map((version, i) => newVersion(version, fresh.length - i, byVersion.get(version) ?? [])),
    ],
  };
}

function withResources(version: ServedVersion, custom: readonly ServedResource[]): ServedVersion {
  return custom.length === 0 ? version : { ...version, resources: [...version.resources, ...custom] };
}

function newVersion(
  version: string,
  versionPriority: number,
  resources: readonly ServedResource[],
): ServedVersion {
  return { version, versionPriority, enabledByDefault: true, served: true, resources };
}
