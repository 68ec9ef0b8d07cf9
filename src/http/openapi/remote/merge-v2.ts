/**
 * Merges documents of other servers into that of this service (`MergeSpecsIgnorePathConflict` of kube-openapi): a path
 * that is there stays, a definition of a name that means something else gets a new name.
 */
import { hash } from 'node:crypto';
import { isObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { canonicalJson } from '../../../base/canonical-json.ts';
import { definitionPrefix, isKindExtension, type RemoteV2 } from './read-v2.ts';
import { mapMembers, withReferences } from './references.ts';

/** What is in the document already. Grows with each merge. */
export interface MergeState {
  readonly paths: Set<string>;
  /** What definitions mean (`meaningOf`), by name. */
  readonly definitions: Map<string, string>;
}

/** The members that a document adds; `state` has them afterwards. */
export function mergeInto(state: MergeState, source: RemoteV2): RemoteV2 {
  const fresh = Object.entries(source.paths).filter(([path]) => !state.paths.has(path));
  const names = newNames(state, source.definitions);
  const rename = (reference: string): string => {
    if (!reference.startsWith(definitionPrefix)) return reference;
    const name = reference.slice(definitionPrefix.length);
    return `${definitionPrefix}${names.get(name)?.name ?? name}`;
  };
  const added = Object.entries(source.definitions).flatMap(([name, definition]): [string, JsonValue][] => {
    const target = names.get(name);
    return target === undefined || target.isThere || definition === undefined
      ? []
      : [[target.name, withReferences(definition, rename)]];
  });
  const paths = mapMembers(Object.fromEntries(fresh), (item) => withReferences(item, rename));
  for (const path of Object.keys(paths)) state.paths.add(path);
  for (const [name, definition] of added) state.definitions.set(name, meaningOf(definition));
  return { paths, definitions: Object.fromEntries(added) };
}

interface Target {
  readonly name: string;
  /** The same definition has this name already. */
  readonly isThere: boolean;
}

function newNames({ definitions: known }: MergeState, definitions: JsonObject): Map<string, Target> {
  const names = new Map<string, Target>();
  const taken = new Set(Object.keys(definitions));
  for (const [name, definition] of Object.entries(definitions)) {
    const meaning = meaningOf(definition);
    let next = name;
    let target: Target | undefined;
    for (let i = 2; target === undefined; i++) {
      const present = known.get(next);
      const isFree = present === undefined && (next === name || !taken.has(next));
      if (isFree) target = { name: next, isThere: false };
      else if (present === meaning) target = { name: next, isThere: true };
      else next = `${name}_v${String(i)}`;
    }
    taken.add(target.name);
    names.set(name, target);
  }
  return names;
}

/** Digest of a definition without the kinds that it is served as: these differ between servers of the same type. */
export function meaningOf(definition: JsonValue | undefined): string {
  if (!isObject(definition)) return digestOf(JSON.stringify(definition ?? null));
  const kept = Object.entries(definition).filter(([key]) => !isKindExtension(key));
  return digestOf(canonicalJson(Object.fromEntries(kept)));
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64');
}
