/**
 * The built-in catalogue with custom resources in it. A change of a definition costs its group: with a thousand
 * definitions, which are installed one after the other, all others stay as they are.
 */
import type { GroupVersionKind } from '../../meta/gvk.ts';
import type { ResourceCatalogue, ServedGroup, ServedResource } from '../../registry/types.ts';
import { byPreference } from './version-order.ts';

type ServedVersion = ServedGroup['versions'][number];

/** The custom resources of a version, for look-ups. */
interface CustomVersionNames {
  readonly byResource: ReadonlyMap<string, ServedResource>;
  readonly byKind: ReadonlyMap<string, ServedResource>;
}

interface CustomGroup {
  readonly served: ServedGroup;
  readonly versions: ReadonlyMap<string, CustomVersionNames>;
}

/** Built-in resources cannot be replaced. */
export class MergedCatalogue {
  readonly #builtIn: ResourceCatalogue;
  readonly #builtInGroups: ReadonlyMap<string, ServedGroup>;
  /** Groups with custom resources; a catalogue that was given keeps those that it was made of. */
  #custom: ReadonlyMap<string, CustomGroup> = new Map();

  constructor(builtIn: ResourceCatalogue) {
    this.#builtIn = builtIn;
    this.#builtInGroups = new Map(builtIn.groups().map((group) => [group.group, group]));
  }

  /** The catalogue after a change: all custom resources of the groups that have changed, by group. */
  changed(groups: ReadonlyMap<string, readonly ServedResource[]>): ResourceCatalogue {
    const custom = new Map(this.#custom);
    for (const [group, resources] of groups) {
      const own = this.#groupOf(group, resources);
      if (own) custom.set(group, own);
      else custom.delete(group);
    }
    this.#custom = custom;
    return this.#catalogueOf(custom);
  }

  #groupOf(group: string, resources: readonly ServedResource[]): CustomGroup | undefined {
    const builtIn = this.#builtInGroups.get(group);
    const added = builtIn
      ? resources.filter(({ gvr, gvk }) => !isTaken(this.#builtIn, gvr.resource, gvk))
      : resources;
    if (added.length === 0) return undefined;
    const byVersion = Map.groupBy(added, ({ gvr }) => gvr.version);
    const names = ([version, own]: [string, ServedResource[]]): [string, CustomVersionNames] => [
      version,
      {
        byResource: new Map(own.map((resource) => [resource.gvr.resource, resource])),
        byKind: new Map(own.map((resource) => [resource.gvk.kind, resource])),
      },
    ];
    return {
      served: extended(builtIn ?? { group, versions: [] }, byVersion),
      versions: new Map([...byVersion].map(names)),
    };
  }

  /** Built-in groups keep their order, with built-in versions first; others follow by name. */
  #catalogueOf(custom: ReadonlyMap<string, CustomGroup>): ResourceCatalogue {
    const builtIn = this.#builtIn;
    if (custom.size === 0) return { ...builtIn };
    const fresh = [...custom.keys()].filter((group) => !this.#builtInGroups.has(group)).sort();
    const groups = [
      ...builtIn.groups().map((group) => custom.get(group.group)?.served ?? group),
      ...fresh.flatMap((group) => custom.get(group)?.served ?? []),
    ];
    return {
      naming: builtIn.naming,
      groups: () => groups,
      resource: (group, version, plural) =>
        builtIn.resource(group, version, plural) ??
        custom.get(group)?.versions.get(version)?.byResource.get(plural),
      kind: (group, version, kind) =>
        builtIn.kind(group, version, kind) ?? custom.get(group)?.versions.get(version)?.byKind.get(kind),
    };
  }
}

/** The built-in catalogue with these custom resources. */
export function mergeCatalogue(
  builtIn: ResourceCatalogue,
  custom: readonly ServedResource[],
): ResourceCatalogue {
  return new MergedCatalogue(builtIn).changed(Map.groupBy(custom, ({ gvr }) => gvr.group));
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

function extended(
  group: ServedGroup,
  byVersion: ReadonlyMap<string, readonly ServedResource[]>,
): ServedGroup {
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
