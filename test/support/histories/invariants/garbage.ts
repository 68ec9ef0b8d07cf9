/**
 * Garbage collection: a dependent is deleted when all of its owners are gone, not before (unless somebody deletes it),
 * and none is left once the collector is idle. An owner is in the namespace of its dependents, or in none.
 */
import { Violations } from '../violations.ts';
import {
  isMarked,
  isNamedIn,
  isOfEndingNamespace,
  namespaceOf,
  ownersOf,
  type Place,
  walk,
  type World,
} from './walk.ts';
import type { Past } from '../types.ts';

export interface GarbageOptions {
  /**
   * What clients deleted, which therefore goes with or without owners: `<collection>/<key>`, uids, or
   * `<collection>/<namespace>/` for all of a namespace.
   */
  readonly deleted: ReadonlySet<string>;
  /** The collector had nothing to do any more when the past ended. */
  readonly isIdle: boolean;
}

export function garbageIsCollected(past: Past, { deleted, isIdle }: GarbageOptions): string[] {
  const found = new Violations();
  const end = walk(past, {
    before: ({ revision, changes }, world) => {
      for (const change of changes) {
        const before = world.get(change);
        const isDeletion = change.put === undefined || isMarked(change.put.object);
        if (before === undefined || isMarked(before) || !isDeletion) continue;
        if (isNamedIn(deleted, change, before) || isOfEndingNamespace(world, change)) continue;
        const live = ownersOf(before).filter(({ uid }) => livesAt(world, change, uid));
        if (live.length > 0)
          found.add(
            `${change.collection}/${change.key} is deleted at ${revision}, but its owner ${live.map(({ uid }) => uid).join(', ')} is not`,
          );
      }
    },
  });
  if (isIdle) for (const words of garbageIn(end)) found.add(words);
  return found.list();
}

/** An owner that is being deleted may wait for its dependents. */
function livesAt(world: World, dependent: Place, uid: string): boolean {
  const owner = world.withUid(uid);
  return owner !== undefined && isInReach(dependent, owner) && !isMarked(world.get(owner));
}

function isInReach(dependent: Place, owner: Place): boolean {
  const namespace = namespaceOf(owner.key);
  return namespace === '' || namespace === namespaceOf(dependent.key);
}

/** Objects whose owners are all gone. */
export function garbageIn(world: World): string[] {
  return world.objects().flatMap(([place, object]) => {
    const owners = ownersOf(object);
    const isLeft = (uid: string): boolean => {
      const owner = world.withUid(uid);
      return owner !== undefined && isInReach(place, owner);
    };
    const isGarbage = owners.length > 0 && !owners.some(({ uid }) => isLeft(uid));
    return isGarbage ? [`${place.collection}/${place.key} is left, but its owners are gone`] : [];
  });
}
