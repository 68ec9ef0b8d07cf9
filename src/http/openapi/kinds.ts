/**
 * Which kinds each built-in type is served as: clients find the type of an object by its group, version and kind. Custom
 * resources add none, so that the documents of other groups stay what they are when a definition changes.
 */
import type { GroupVersionKind } from '../../meta/gvk.ts';
import { apiVersionOf } from '../../meta/gvk.ts';
import { expandNames } from '../../meta/naming.ts';
import type { ResourceCatalogue, ServedResource } from '../../registry/types.ts';
import type { WireTypes } from '../wire-types.ts';

/** Kinds that exist in every group version. */
const everywhere = ['DeleteOptions', 'WatchEvent'];
const ofTheApi = ['APIGroup', 'APIGroupList', 'APIResourceList', 'APIVersions', 'Status'];

export function servedKinds(
  catalogue: ResourceCatalogue,
  types: WireTypes,
): (schemaName: string) => readonly GroupVersionKind[] {
  const kinds = new Map<string, Map<string, GroupVersionKind>>();
  const note = (gvk: GroupVersionKind): void => {
    const name = types.find(apiVersionOf(gvk), gvk.kind)?.name;
    if (name === undefined) return;
    let own = kinds.get(name);
    if (!own) kinds.set(name, (own = new Map<string, GroupVersionKind>()));
    own.set(`${gvk.group}/${gvk.version}/${gvk.kind}`, gvk);
  };
  for (const kind of ofTheApi) note({ group: '', version: 'v1', kind });
  for (const { group, versions } of catalogue.groups()) {
    for (const { version, resources } of versions) {
      const builtIn = resources.filter(({ description }) => !description);
      if (builtIn.length === 0) continue;
      for (const kind of everywhere) note({ group, version, kind });
      for (const gvk of builtIn.flatMap(kindsOfResource)) note(gvk);
    }
  }
  const listed = new Map([...kinds].map(([name, own]) => [name, [...own.values()]]));
  return (schemaName) => listed.get(schemaName) ?? [];
}

function kindsOfResource({ gvk, listKind, definition, naming }: ServedResource): GroupVersionKind[] {
  const foreign = definition.subresources.flatMap(({ kind }) => (kind ? [kind] : []));
  return [
    gvk,
    { ...gvk, kind: listKind },
    ...foreign.map((kind) => ({ ...kind, group: expandNames(kind.group, naming) })),
  ];
}
