/** The desired local APIServices: one for each group version that this service serves. */
import { builtInGroups } from '../../api/index.ts';
import type { APIServiceSpec } from '../../api/apiregistration/v1.types.ts';
import { expandNames } from '../../meta/naming.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';

/**
 * Value of the label of maintained APIServices: `onstart` ones are corrected and removed when a replica starts, and
 * recreated whenever they are missing; `true` ones always follow the CustomResourceDefinitions.
 */
export type Automanaged = 'onstart' | 'true';

export interface DesiredService {
  readonly name: string;
  readonly automanaged: Automanaged;
  readonly spec: APIServiceSpec;
}

export const ownGroup = 'apiregistration.{api}';

/** Custom resources follow built-in groups; their versions are ordered as in discovery. */
const customPriorities = { groupPriorityMinimum: 1000, versionPriority: 100 };

/** The served built-in group versions, except the group of APIService itself. */
export function builtInServices(builtIn: ResourceCatalogue): DesiredService[] {
  const served = new Map(builtIn.groups().map(({ group, versions }) => [group, versions]));
  return builtInGroups
    .filter(({ group }) => group !== ownGroup)
    .flatMap(({ group: pattern, groupPriorityMinimum }) => {
      const group = expandNames(pattern, builtIn.naming);
      return (served.get(group) ?? []).map(({ version, versionPriority }) =>
        desired('onstart', { group, version, groupPriorityMinimum, versionPriority }),
      );
    });
}

/** The group versions that exist only because of CustomResourceDefinitions. */
export function customServices(catalogue: ResourceCatalogue, builtIn: ResourceCatalogue): DesiredService[] {
  const known = new Set(groupVersions(builtIn).map(({ group, version }) => nameOf(group, version)));
  return groupVersions(catalogue)
    .filter(({ group, version }) => !known.has(nameOf(group, version)))
    .map((groupVersion) => desired('true', { ...groupVersion, ...customPriorities }));
}

function groupVersions(catalogue: ResourceCatalogue): { group: string; version: string }[] {
  return catalogue
    .groups()
    .flatMap(({ group, versions }) => versions.map(({ version }) => ({ group, version })));
}

function desired(
  automanaged: Automanaged,
  spec: APIServiceSpec & { readonly group: string; readonly version: string },
): DesiredService {
  const { group, ...rest } = spec;
  const name = nameOf(group, spec.version);
  return { name, automanaged, spec: { ...rest, ...(group !== '' && { group }) } };
}

function nameOf(group: string, version: string): string {
  return `${version}.${group}`;
}
