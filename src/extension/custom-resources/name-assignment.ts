/**
 * Which definition gets which names: within a group a plural, singular or short name, and a kind or list kind, belongs
 * to one resource. Every replica comes to the same answer: names that were accepted stay, else the older one has them.
 */
import type { CustomResourceDefinition } from '../../api/apiextensions/custom-resource-definitions.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';
import type { Names } from './definition.ts';
import { acceptedNames, byAge, nameOf, specOf } from './definition.ts';

/** What became of the names that a definition asks for. */
export interface Assignment {
  readonly accepted: Names;
  /** Undefined: all names were free. */
  readonly conflict: { readonly reason: string; readonly message: string } | undefined;
}

/** Names in use by their owners; resources and kinds are apart. */
class Owners {
  private readonly resources = new Map<string, string>();
  private readonly kinds = new Map<string, string>();

  /** False when somebody else has the name. */
  take(what: 'resource' | 'kind', name: string, owner: string): boolean {
    const names = what === 'kind' ? this.kinds : this.resources;
    const present = names.get(name);
    if (present === undefined) names.set(name, owner);
    return present === undefined || present === owner;
  }
}

/** Assigns the names of one group's definitions; the result is by definition. */
export function assignNames(
  definitions: readonly CustomResourceDefinition[],
  builtIn: ResourceCatalogue,
): Map<string, Assignment> {
  const sorted = [...definitions].sort(byAge);
  const owners = new Owners();
  for (const group of new Set(sorted.map((d) => specOf(d).group ?? ''))) takeBuiltIn(owners, builtIn, group);
  for (const definition of sorted) takeAccepted(owners, definition);
  return new Map(sorted.map((definition) => [nameOf(definition), assign(owners, definition)]));
}

function takeBuiltIn(owners: Owners, builtIn: ResourceCatalogue, group: string): void {
  const versions = builtIn.groups().find((g) => g.group === group)?.versions ?? [];
  for (const { definition, gvk, listKind } of versions.flatMap(({ resources }) => resources)) {
    for (const name of [definition.plural, gvk.kind.toLowerCase(), ...definition.shortNames])
      owners.take('resource', name, '');
    for (const kind of [gvk.kind, listKind]) owners.take('kind', kind, '');
  }
}

function takeAccepted(owners: Owners, definition: CustomResourceDefinition): void {
  const owner = nameOf(definition);
  const { plural, singular, shortNames = [], kind, listKind } = acceptedNames(definition);
  for (const name of [plural, singular, ...shortNames]) if (name) owners.take('resource', name, owner);
  for (const name of [kind, listKind]) if (name) owners.take('kind', name, owner);
}

/** Names that are taken keep what was accepted before. */
function assign(owners: Owners, definition: CustomResourceDefinition): Assignment {
  const owner = nameOf(definition);
  const wanted = specOf(definition).names ?? {};
  const before = acceptedNames(definition);
  const conflicts: { reason: string; name: string }[] = [];
  const isFree = (what: 'resource' | 'kind', name: string | undefined, reason: string): boolean => {
    if (!name || owners.take(what, name, owner)) return true;
    conflicts.push({ reason, name });
    return false;
  };
  const shortNames = wanted.shortNames ?? [];
  const areShortNamesFree = shortNames
    .map((name) => isFree('resource', name, 'ShortNamesConflict'))
    .every(Boolean);
  const accepted: Names = {
    plural: isFree('resource', wanted.plural, 'PluralConflict') ? wanted.plural : before.plural,
    singular: isFree('resource', wanted.singular, 'SingularConflict') ? wanted.singular : before.singular,
    shortNames: areShortNamesFree ? wanted.shortNames : before.shortNames,
    kind: isFree('kind', wanted.kind, 'KindConflict') ? wanted.kind : before.kind,
    listKind: isFree('kind', wanted.listKind, 'ListKindConflict') ? wanted.listKind : before.listKind,
    categories: wanted.categories,
  };
  const [first] = conflicts;
  const message = conflicts.map(({ name }) => `${JSON.stringify(name)} is already in use`).join('; ');
  return { accepted, conflict: first && { reason: first.reason, message } };
}
