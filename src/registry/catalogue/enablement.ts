/**
 * API enablement: which resources are served, by the defaults of each version, the release, and `--runtime-config`.
 */
import type { GroupDefinition, GroupVersionDefinition, ResourceVersionDefinition } from '../../api/types.ts';
import { expandNames, type NamingProfile } from '../../meta/naming.ts';
import {
  currentRelease,
  isAtLeast,
  newestRelease,
  parseRelease,
  type Release,
} from '../../observe/release.ts';

/** Keys and their values: `api/alpha`, `batch/v1`, `apps/v1/deployments`; the core group's begin with its version. */
export type RuntimeConfig = Readonly<Record<string, boolean>>;

export interface EnablementParts {
  readonly groups: readonly GroupDefinition[];
  readonly naming: NamingProfile;
  /** Versions removed in this or an earlier release do not exist. */
  readonly release: Release;
  readonly settings: RuntimeConfig;
}

/** As `CatalogueParts.isEnabled`. */
export type IsEnabled = (group: string, version: string, resource: string) => boolean;

/** Reads `<key>[=<value>],…`; a key without a value is true. @throws Error that names all invalid parts */
export function parseRuntimeConfig(text: string): RuntimeConfig {
  const errors: string[] = [];
  const settings: Record<string, boolean> = Object.create(null) as Record<string, boolean>;
  for (const part of text.split(',').map((word) => word.trim())) {
    if (part === '') continue;
    const [key = '', value = 'true', ...rest] = part.split('=').map((word) => word.trim());
    const isOn = values.get(value.toLowerCase());
    if (key === '' || isOn === undefined || rest.length > 0) errors.push(JSON.stringify(part));
    else settings[coreKey(key)] = isOn;
  }
  if (errors.length > 0) throw new Error(`${errors.join(', ')}: give key=true or key=false`);
  return settings;
}

const values: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** `api/v1` is the path of what clients call `v1`. */
function coreKey(key: string): string {
  return /^api\/v[0-9]/.test(key) ? key.slice('api/'.length) : key;
}

/**
 * Decides for every resource. More specific keys take precedence: `api/all`, then `api/ga`, `api/beta` and
 * `api/alpha`, then a group version, then a resource of it.
 * @throws Error for unknown keys, with a list of known ones, and if a required resource is disabled
 */
export function decideEnabled(parts: EnablementParts): IsEnabled {
  const existing = existingResources(parts);
  assertKnown(parts.settings, existing);
  const enabled = new Set<string>();
  for (const [groupVersion, resources] of existing) {
    for (const [plural, byDefault] of resources) {
      if (decided(parts.settings, groupVersion, plural) ?? byDefault)
        enabled.add(`${groupVersion}/${plural}`);
    }
  }
  if (!enabled.has('v1/namespaces')) throw new Error('v1/namespaces cannot be disabled');
  return (group, version, resource) => enabled.has(`${keyOf(group, version)}/${resource}`);
}

function keyOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** By group version, the resources of the release, and whether each is enabled by default. */
function existingResources({ groups, naming, release }: EnablementParts): Map<string, Map<string, boolean>> {
  const existing = new Map<string, Map<string, boolean>>();
  for (const group of groups) {
    for (const groupVersion of group.versions) {
      const resources = group.resources.flatMap(({ plural, versions }) =>
        versions
          .filter((version) => exists(groupVersion, version, release))
          .map((version) => [plural, isOnByDefault(groupVersion, version)] as const),
      );
      const key = keyOf(expandNames(group.group, naming), groupVersion.version);
      if (resources.length > 0) existing.set(key, new Map(resources));
    }
  }
  return existing;
}

function exists(
  group: GroupVersionDefinition,
  version: ResourceVersionDefinition,
  release: Release,
): boolean {
  if (version.version !== group.version || !group.served || version.served === false) return false;
  const introduced = parseRelease(version.introducedIn ?? '');
  const removed = parseRelease(version.removedIn ?? '');
  return (
    (introduced === undefined || isAtLeast(release, introduced)) &&
    (removed === undefined || !isAtLeast(release, removed))
  );
}

/** The first release whose new beta versions are off by default (KEP-3136). */
const firstWithBetaOff: Release = { major: 1, minor: 24 };

function isOnByDefault(group: GroupVersionDefinition, version: ResourceVersionDefinition): boolean {
  const introduced = parseRelease(version.introducedIn ?? '');
  const isNewBeta =
    version.version.includes('beta') && introduced !== undefined && isAtLeast(introduced, firstWithBetaOff);
  return version.enabledByDefault ?? (isNewBeta ? false : group.enabledByDefault);
}

/** Releases that can be emulated: all whose life cycles the catalogue has. */
export function knownReleases(): Release[] {
  const { major, minor } = currentRelease;
  return Array.from({ length: newestRelease.minor - minor + 1 }, (_, i) => ({ major, minor: minor + i }));
}

const stages = new Set(['api/all', 'api/ga', 'api/beta', 'api/alpha']);

function assertKnown(
  settings: RuntimeConfig,
  existing: ReadonlyMap<string, ReadonlyMap<string, boolean>>,
): void {
  const unknown = Object.keys(settings).filter((key) => !stages.has(key) && !isKnown(key, existing));
  if (unknown.length === 0) return;
  const [groupVersion] = unknown.flatMap((key) => splitKey(key).filter((part) => existing.has(part)));
  const resources = [...(existing.get(groupVersion ?? '')?.keys() ?? [])].sort();
  const things = groupVersion === undefined ? [] : [`${groupVersion} has ${resources.join(', ')}`];
  const known = [...stages, ...[...existing.keys()].sort()];
  throw new Error(
    [`unknown ${unknown.join(', ')}`, ...things, `there are ${known.join(', ')}, and resources of them`].join(
      '; ',
    ),
  );
}

function isKnown(key: string, existing: ReadonlyMap<string, ReadonlyMap<string, boolean>>): boolean {
  const [groupVersion, plural] = splitKey(key);
  return existing.has(key) || existing.get(groupVersion)?.has(plural) === true;
}

/** `apps/v1/deployments` → `apps/v1` and `deployments`. */
function splitKey(key: string): [string, string] {
  const at = key.lastIndexOf('/');
  return [key.slice(0, Math.max(at, 0)), key.slice(at + 1)];
}

function decided(settings: RuntimeConfig, groupVersion: string, plural: string): boolean | undefined {
  return (
    settings[`${groupVersion}/${plural}`] ??
    settings[groupVersion] ??
    settings[`api/${stageOf(groupVersion)}`] ??
    settings['api/all']
  );
}

function stageOf(groupVersion: string): 'alpha' | 'beta' | 'ga' {
  const version = groupVersion.slice(groupVersion.lastIndexOf('/') + 1);
  if (version.includes('alpha')) return 'alpha';
  return version.includes('beta') ? 'beta' : 'ga';
}
