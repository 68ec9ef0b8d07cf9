/**
 * What a deletion promises to the dependents of an object, of those that referred to it before it was deleted: in the
 * foreground it goes after those that block it; one that orphans goes after they no longer refer to it.
 */
import { foregroundFinalizer, orphanFinalizer } from '../../../../src/api/validation/metadata.ts';
import { Violations } from '../violations.ts';
import {
  asStored,
  isMarked,
  isNamedIn,
  isOfEndingNamespace,
  ownersOf,
  walk,
  type Place,
  type StoredObject,
  type World,
} from './walk.ts';
import type { Past, Revision } from '../types.ts';

export interface DependentOptions {
  /**
   * Uids of objects that were deleted again, perhaps with another policy, which counts then; or
   * `<collection>/<namespace>/` for all of a namespace.
   */
  readonly again?: ReadonlySet<string>;
}

export function dependentsAreHeeded(past: Past, { again = new Set() }: DependentOptions = {}): string[] {
  const found = new Violations();
  const since = new References();
  walk(past, {
    before: ({ revision, changes }, world) => {
      for (const change of changes) {
        const before = world.get(change);
        since.note(change, asStored(change.put?.object), revision);
        const isAgain = isNamedIn(again, change, before);
        const isJudged = before !== undefined && !isAgain;
        // What empties a namespace deletes its objects once more, in the background.
        if (isJudged && change.put === undefined && !isOfEndingNamespace(world, change))
          for (const words of unheeded(world, before, since)) found.add(`at ${revision} ${words}`);
      }
    },
  });
  return found.list();
}

function unheeded(world: World, owner: StoredObject, since: References): string[] {
  const { uid = '', name = '', finalizers = [] } = owner.metadata;
  const marked = since.markedAt(uid);
  if (marked === undefined) return [];
  const dependents = world
    .objects()
    .filter(([place]) => (since.at(place, uid) ?? Infinity) < marked && isInReach(place, owner));
  const wordsOf = (why: string, [{ collection, key }]: readonly [Place, StoredObject]): string =>
    `${name} goes, and ${collection}/${key} ${why}`;
  if (finalizers.includes(orphanFinalizer))
    return dependents.map((each) => wordsOf('still refers to it, though it was to be set free', each));
  if (!finalizers.includes(foregroundFinalizer)) return [];
  return dependents
    .filter(([, object]) => blocks(object, uid) && !since.hasWaited(object))
    .map((each) => wordsOf('is left, for which it was to wait', each));
}

function isInReach({ key }: Place, { metadata: { namespace = '' } }: StoredObject): boolean {
  return namespace === '' || key.startsWith(`${namespace}/`);
}

function blocks(object: StoredObject, uid: string): boolean {
  return ownersOf(object).some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true);
}

/** Since when objects refer to others, and are being deleted. */
class References {
  readonly #since = new Map<string, Map<string, Revision>>();
  readonly #marked = new Map<string, Revision>();
  readonly #waited = new Set<string>();

  at({ collection, key }: Place, owner: string): Revision | undefined {
    return this.#since.get(`${collection}/${key}`)?.get(owner);
  }

  markedAt(uid: string): Revision | undefined {
    return this.#marked.get(uid);
  }

  /**
   * It waits for its own dependents, or did: then it may be in a circle with its owner, of which each would wait for the
   * other for ever, and which of them is found to wait in vain first is open.
   */
  hasWaited({ metadata: { uid = '' } }: StoredObject): boolean {
    return this.#waited.has(uid);
  }

  note({ collection, key }: Place, object: StoredObject, revision: Revision): void {
    const name = `${collection}/${key}`;
    const before = this.#since.get(name);
    // A changed reference is a new one: another object, or one that blocks now.
    const owners = ownersOf(object).map(({ uid }): [string, Revision] => [uid, before?.get(uid) ?? revision]);
    this.#since.set(name, new Map(owners));
    const uid = object.metadata.uid ?? '';
    if (!isMarked(object)) return;
    if (!this.#marked.has(uid)) this.#marked.set(uid, revision);
    if (object.metadata.finalizers?.includes(foregroundFinalizer) === true) this.#waited.add(uid);
  }
}
