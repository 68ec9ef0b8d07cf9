/** The catalogue of built-in resources: definitions and schemas for a naming profile. */
import type {
  ColumnDefinition,
  GroupDefinition,
  ResourceDefinition,
  SubresourceDefinition,
} from '../../api/types.ts';
import { expandNames } from '../../meta/naming.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { currentRelease, isAtLeast, parseRelease, type Release } from '../../observe/release.ts';
import type { SchemaSet } from '../../schema/load-proto.ts';
import { createServedResource } from './served-resource.ts';
import type { ResourceCatalogue, ServedGroup, ServedResource } from '../types.ts';

export interface CatalogueParts {
  readonly naming: NamingProfile;
  readonly groups: readonly GroupDefinition[];
  readonly schemas: SchemaSet;
  /** Whether a version (or a resource of it) is enabled; takes expanded names. */
  readonly isEnabled: (group: string, version: string, resource: string) => boolean;
  /** Release that determines the versions of subresources; defaults to the current one. */
  readonly release?: Release;
  /** Absent if all feature gates are enabled. */
  readonly isFeatureEnabled?: (gate: string) => boolean;
}

/** Builds the catalogue of built-in resources; a look-up takes one map access. */
export function buildCatalogue(parts: CatalogueParts): ResourceCatalogue {
  const groups = [...parts.groups]
    .sort((a, b) => b.groupPriorityMinimum - a.groupPriorityMinimum || (a.group < b.group ? -1 : 1))
    .map((definition) => buildGroup(parts, definition))
    .filter((group) => group.versions.length > 0);
  const byResource = new Map<string, ServedResource>();
  const byKind = new Map<string, ServedResource>();
  for (const resource of groups.flatMap((g) => g.versions.flatMap((v) => v.resources))) {
    byResource.set(key(resource.gvr.group, resource.gvr.version, resource.gvr.resource), resource);
    byKind.set(key(resource.gvk.group, resource.gvk.version, resource.gvk.kind), resource);
  }
  return {
    naming: parts.naming,
    groups: () => groups,
    resource: (group, version, plural) => byResource.get(key(group, version, plural)),
    kind: (group, version, kind) => byKind.get(key(group, version, kind)),
  };
}

function key(group: string, version: string, name: string): string {
  return `${group}/${version}/${name}`;
}

function buildGroup(parts: CatalogueParts, definition: GroupDefinition): ServedGroup {
  const group = expandNames(definition.group, parts.naming);
  const versions = definition.versions
    .filter((v) => v.served)
    .sort((a, b) => b.versionPriority - a.versionPriority)
    .map((v) => ({ ...v, resources: servedResources(parts, definition, v.version) }))
    .filter((v) => v.resources.length > 0);
  return { group, versions };
}

function servedResources(
  parts: CatalogueParts,
  definition: GroupDefinition,
  version: string,
): ServedResource[] {
  const group = expandNames(definition.group, parts.naming);
  return definition.resources
    .filter((r) => isServed(parts, r, version) && parts.isEnabled(group, version, r.plural))
    .map((r) =>
      createServedResource({
        group,
        folder: definition.folder,
        version,
        definition: asReleased(parts, r),
        schemas: parts.schemas,
        naming: parts.naming,
      }),
    );
}

/**
 * The definition as the release has it: its verbs, columns, field selectors and subresources, without those whose
 * feature gate is disabled.
 */
function asReleased(
  { isFeatureEnabled, release = currentRelease }: CatalogueParts,
  definition: ResourceDefinition,
): ResourceDefinition {
  const subresources = definition.subresources
    .filter((subresource) => isIntroduced(release, subresource) && !isReached(release, subresource.removedIn))
    .filter(({ featureGate }) => featureGate === undefined || isFeatureEnabled?.(featureGate) !== false)
    .map((subresource) => inVersionsOf(release, subresource));
  const columns = definition.columns.filter((column) => isShown(release, column));
  const verbs = known(release, definition.verbs, definition.laterVerbs);
  const keys = known(release, Object.keys(definition.selectableFields), definition.laterSelectors);
  const isSame =
    verbs.length === definition.verbs.length &&
    columns.length === definition.columns.length &&
    keys.length === Object.keys(definition.selectableFields).length &&
    subresources.length === definition.subresources.length &&
    subresources.every((subresource, i) => subresource === definition.subresources[i]);
  if (isSame) return definition;
  const selectableFields = Object.fromEntries(
    Object.entries(definition.selectableFields).filter(([key]) => keys.includes(key)),
  );
  return { ...definition, verbs, subresources, columns, selectableFields };
}

/** The words that the release has, without those that came later. */
function known(
  release: Release,
  words: readonly string[],
  later: Readonly<Record<string, string>> = {},
): readonly string[] {
  return words.filter((word) => isIntroduced(release, { introducedIn: later[word] ?? '' }));
}

/** Whether the release has the column. */
export function isShown(release: Release, { since, until }: ColumnDefinition): boolean {
  return isIntroduced(release, { introducedIn: since ?? '' }) && !isReached(release, until);
}

/** Discovery shows the newest version that the release knows; bodies of all are taken, for older and newer clients send them. */
function inVersionsOf(release: Release, subresource: SubresourceDefinition): SubresourceDefinition {
  const { kind, kindVersions } = subresource;
  if (!kind || !kindVersions) return subresource;
  const newest = kindVersions.find(
    ({ introducedIn = '' }) => introducedIn === '' || isReached(release, introducedIn),
  );
  return { ...subresource, kind: { ...kind, version: newest?.version ?? kind.version } };
}

/** False for no release. */
function isReached(release: Release, text = ''): boolean {
  const other = parseRelease(text);
  return other !== undefined && isAtLeast(release, other);
}

function isServed(
  { release = currentRelease, isFeatureEnabled }: CatalogueParts,
  resource: ResourceDefinition,
  version: string,
): boolean {
  return resource.versions.some(
    (v) =>
      v.version === version &&
      v.served !== false &&
      isIntroduced(release, v) &&
      (v.featureGate === undefined || isFeatureEnabled?.(v.featureGate) !== false),
  );
}

/** True without a first release. */
function isIntroduced(release: Release, { introducedIn = '' }: { readonly introducedIn?: string }): boolean {
  return introducedIn === '' || isReached(release, introducedIn);
}
