/**
 * Assigns names to definitions: within a group, a plural, singular or short name and a kind or list kind belongs to
 * one resource. The result is deterministic: accepted names are kept, otherwise the older definition takes
 * precedence.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ResourceDefinition } from '../../api/types.ts';
import type { CustomResourceDefinition } from '../../api/apiextensions/custom-resource-definitions.ts';
import { builtInGroups } from '../../api/index.ts';
import { expandNames, type NamingProfile } from '../../meta/naming.ts';
import type { Names } from './definition.ts';
import { acceptedNames, groupOf, inOrderOfAge, nameOf, specOf } from './definition.ts';

/** The result for the names of a definition. */
export interface Assignment {
  readonly accepted: Names;
  /** undefined if all names are accepted. */
  readonly conflict: { readonly reason: string; readonly message: string } | undefined;
}

/** Assignments by group, updated after each change; an unchanged assignment stays the same object. */
export class Assignments {
  private readonly naming: NamingProfile;
  private readonly groups = new Map<string, AssignedGroup>();

  constructor(naming: NamingProfile) {
    this.naming = naming;
  }

  /** The assignments of a group, by the names of its definitions. @param definitions all of them */
  of(group: string, definitions: readonly CustomResourceDefinition[]): ReadonlyMap<string, Assignment> {
    const before = this.groups.get(group);
    if (before && isSameList(before.definitions, definitions)) return before.assignments;
    const assignments = assignNames(definitions, this.naming);
    for (const [name, assignment] of assignments) {
      const old = before?.assignments.get(name);
      if (old && isDeepStrictEqual(old, assignment)) assignments.set(name, old);
    }
    if (definitions.length === 0) this.groups.delete(group);
    else this.groups.set(group, { definitions, assignments });
    return assignments;
  }
}

interface AssignedGroup {
  readonly definitions: readonly CustomResourceDefinition[];
  readonly assignments: ReadonlyMap<string, Assignment>;
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((element, i) => element === b[i]);
}

/** Names in use and their owners; resources and kinds are separate. */
class Owners {
  private readonly resources = new Map<string, string>();
  private readonly kinds = new Map<string, string>();

  /** Returns false if the name has another owner. */
  take(what: 'resource' | 'kind', name: string, owner: string): boolean {
    const names = what === 'kind' ? this.kinds : this.resources;
    const present = names.get(name);
    if (present === undefined) names.set(name, owner);
    return present === undefined || present === owner;
  }
}

/** Assigns the names of the definitions of a group; the result is keyed by definition. */
export function assignNames(
  definitions: readonly CustomResourceDefinition[],
  naming: NamingProfile,
): Map<string, Assignment> {
  const sorted = inOrderOfAge(definitions);
  const owners = new Owners();
  for (const group of new Set(sorted.map(groupOf))) takeBuiltIn(owners, naming, group);
  for (const definition of sorted) takeAccepted(owners, definition);
  return new Map(sorted.map((definition) => [nameOf(definition), assign(owners, definition)]));
}

const builtIn = new Map<NamingProfile, Map<string, ResourceDefinition[]>>();

function builtInResources(naming: NamingProfile): Map<string, ResourceDefinition[]> {
  let known = builtIn.get(naming);
  if (known) return known;
  const groups = Map.groupBy(builtInGroups, ({ group }) => expandNames(group, naming));
  known = new Map([...groups].map(([group, own]) => [group, own.flatMap(({ resources }) => resources)]));
  builtIn.set(naming, known);
  return known;
}

/** Includes resources that are not served, as objects may be stored. */
function takeBuiltIn(owners: Owners, naming: NamingProfile, group: string): void {
  for (const { plural, kind, shortNames } of builtInResources(naming).get(group) ?? []) {
    for (const name of [plural, kind.toLowerCase(), ...shortNames]) owners.take('resource', name, '');
    for (const name of [kind, `${kind}List`]) owners.take('kind', name, '');
  }
}

function takeAccepted(owners: Owners, definition: CustomResourceDefinition): void {
  const owner = nameOf(definition);
  const { plural, singular, shortNames = [], kind, listKind } = acceptedNames(definition);
  for (const name of [plural, singular, ...shortNames]) if (name) owners.take('resource', name, owner);
  for (const name of [kind, listKind]) if (name) owners.take('kind', name, owner);
}

/** If names are taken, the previously accepted ones are kept. */
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
