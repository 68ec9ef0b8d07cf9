/**
 * Facts about releases 1.21 and 1.36 as tables beside this file: names, numbers and keys. Column `in` says which of the two
 * releases has the row: `old`, `new` or `both`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtInGroups } from '../../../src/api/index.ts';
import { loadCatalogueSchemas } from '../../../src/api/schemas.ts';
import { expandNames, namingProfiles } from '../../../src/meta/naming.ts';
import { createFeatureGates } from '../../../src/observe/feature-gates.ts';
import { featuresOf } from '../../../src/observe/release-gates.ts';
import { currentRelease, newestRelease, type Release } from '../../../src/observe/release.ts';
import { buildCatalogue } from '../../../src/registry/catalogue/catalogue.ts';
import { decideEnabled } from '../../../src/registry/catalogue/enablement.ts';
import type { ResourceCatalogue, ServedResource } from '../../../src/registry/types.ts';

export type Fact = Readonly<Record<string, string>>;

/** Why something is not as a fact says, by the beginning of the line that a test makes of it. */
export type Exceptions = Readonly<Record<string, string>>;

/** The rows of a table, by the names of its columns. */
export function factsOf(table: string): Fact[] {
  const [head = '', ...lines] = readFileSync(join(import.meta.dirname, `${table}.tsv`), 'utf8')
    .trimEnd()
    .split('\n');
  const columns = head.split('\t');
  return lines.map((line) => {
    const cells = line.split('\t');
    return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']));
  });
}

/** Those of 1.21 or of 1.36. */
export function factsIn(table: string, release: 'old' | 'new'): Fact[] {
  return factsOf(table).filter(({ in: of }) => of === 'both' || of === release);
}

/** N of every release 1.N that can be emulated. */
export const minors = Array.from({ length: newestRelease.minor - 20 }, (_, index) => 21 + index);
export const oldest = currentRelease.minor;
export const newest = newestRelease.minor;

export const naming = namingProfiles.orch;

export function releaseOf(minor: number): Release {
  return { major: 1, minor };
}

/** `1.27` → 27; '' and bounds such as `<=1.8` → 0, so that they are before all. */
export function minorOf(text: string): number {
  return Number(/^1\.(\d+)$/.exec(text)?.[1] ?? 0);
}

/** What a release serves, with these keys of `--runtime-config`. */
export function catalogueAt(
  minor: number,
  settings: Readonly<Record<string, boolean>> = {},
): ResourceCatalogue {
  const release = releaseOf(minor);
  const gates = createFeatureGates({}, featuresOf(release));
  return buildCatalogue({
    ...{ naming, groups: builtInGroups, release },
    schemas: loadCatalogueSchemas(naming, minor),
    isEnabled: decideEnabled({ groups: builtInGroups, naming, release, settings }),
    isFeatureEnabled: (gate) => gates.isEnabled(gate),
  });
}

export function resourcesOf(catalogue: ResourceCatalogue): ServedResource[] {
  return catalogue.groups().flatMap(({ versions }) => versions.flatMap(({ resources }) => resources));
}

const folders = new Map(builtInGroups.map(({ group, folder }) => [expandNames(group, naming), folder]));

/** `apps/v1.Deployment` as facts and schemas name it: by the group, and by its folder. */
export function schemaName(type: string): string {
  const [, group = '', rest = ''] = /^(.*)\/(.*)$/.exec(type) ?? [];
  return `${folders.get(group === 'core' ? '' : group) ?? group.replace(/\..*$/, '')}/${rest}`;
}

/** `core/v1.Pod` as facts name what is served. */
export function factName({ gvk }: ServedResource): string {
  return `${gvk.group === '' ? 'core' : gvk.group}/${gvk.version}.${gvk.kind}`;
}

/** The lines that no exception begins. */
export function unexplained(lines: readonly string[], exceptions: Exceptions): string[] {
  return lines.filter((line) => !Object.keys(exceptions).some((beginning) => line.startsWith(beginning)));
}

/** Exceptions that none of the lines needs. */
export function needless(lines: readonly string[], exceptions: Exceptions): string[] {
  return Object.keys(exceptions).filter((beginning) => !lines.some((line) => line.startsWith(beginning)));
}

/** What changes more than once, of the same things in one release after the other. */
export function switches(releases: readonly ReadonlyMap<string, Fact>[]): string[] {
  const names = new Set(releases.flatMap((release) => [...release.keys()]));
  return [...names].flatMap((name) => {
    const known = releases.map((release) => release.get(name)).filter((fact) => fact !== undefined);
    const columns = Object.keys(known[0] ?? {});
    return columns.filter((column) => changesOf(known, column) > 1).map((column) => `${name} ${column}`);
  });
}

function changesOf(facts: readonly Fact[], column: string): number {
  return facts.filter((fact, index) => index > 0 && fact[column] !== facts[index - 1]?.[column]).length;
}
