/** Which local APIServices there have to be: one for each group version that this service answers itself. */
import { builtInGroups } from '../../api/index.ts';
import type { APIServiceSpec } from '../../api/apiregistration/v1.types.ts';
import { expandNames } from '../../meta/naming.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';

/**
 * Value of the label of those that are looked after: `onstart` ones are corrected and removed when a replica starts, and
 * made anew whenever they are missing; `true` ones follow the definitions of custom resources at all times.
 */
export type Upkeep = 'onstart' | 'true';

export interface WantedService {
  readonly name: string;
  readonly upkeep: Upkeep;
  readonly spec: APIServiceSpec;
}

export const ownGroup = 'apiregistration.{api}';

/** Custom resources come after all that is built in; their versions are ordered as discovery orders them. */
const customPriorities = { groupPriorityMinimum: 1000, versionPriority: 100 };

/** The group versions that are built in and served. What answers for the kind itself has none. */
export function builtInServices(builtIn: ResourceCatalogue): WantedService[] {
  const served = new Map(builtIn.groups().map(({ group, versions }) => [group, versions]));
  return builtInGroups
    .filter(({ group }) => group !== ownGroup)
    .flatMap(({ group: pattern, groupPriorityMinimum }) => {
      const group = expandNames(pattern, builtIn.naming);
      return (served.get(group) ?? []).map(({ version, versionPriority }) =>
        wanted('onstart', { group, version, groupPriorityMinimum, versionPriority }),
      );
    });
}

/** Those that only definitions of custom resources brought into the catalogue. */
export function customServices(catalogue: ResourceCatalogue, builtIn: ResourceCatalogue): WantedService[] {
  const known = new Set(groupVersions(builtIn).map(({ group, version }) => nameOf(group, version)));
  return groupVersions(catalogue)
    .filter(({ group, version }) => !known.has(nameOf(group, version)))
    .map((groupVersion) => wanted('true', { ...groupVersion, ...customPriorities }));
}

function groupVersions(catalogue: ResourceCatalogue): { group: string; version: string }[] {
  return catalogue
    .groups()
    .flatMap(({ group, versions }) => versions.map(({ version }) => ({ group, version })));
}

function wanted(
  upkeep: Upkeep,
  spec: APIServiceSpec & { readonly group: string; readonly version: string },
): WantedService {
  const { group, ...rest } = spec;
  const name = nameOf(group, spec.version);
  return { name, upkeep, spec: { ...rest, ...(group !== '' && { group }) } };
}

function nameOf(group: string, version: string): string {
  return `${version}.${group}`;
}
