/**
 * An object with finalizers is not removed: a deletion only marks it, and whoever takes the last finalizer away removes
 * it. What is stored last before that may still name them, so the caller says who gave them up.
 */
import { Violations } from '../violations.ts';
import { walk, type StoredObject } from './walk.ts';
import type { Past } from '../types.ts';

export interface FinalizerOptions {
  /** `<collection>/<key>`, or uids, of objects whose finalizers somebody took away. */
  readonly released?: ReadonlySet<string>;
  /** Finalizers that the garbage collector takes away by itself. */
  readonly collected?: ReadonlySet<string>;
  /** Nobody takes away several in one write. */
  readonly isOneByOne?: boolean;
}

export function finalizersHold(past: Past, options: FinalizerOptions = {}): string[] {
  const found = new Violations();
  walk(past, {
    before: ({ revision, changes }, world) => {
      for (const change of changes) {
        const before = world.get(change);
        if (change.put !== undefined || before === undefined) continue;
        const problem = problemOf(`${change.collection}/${change.key}`, before, { revision, ...options });
        if (problem !== undefined) found.add(problem);
      }
    },
  });
  return found.list();
}

function problemOf(
  name: string,
  { metadata: { uid = '', finalizers = [], deletionTimestamp } }: StoredObject,
  {
    revision,
    released = new Set(),
    collected = new Set(),
    isOneByOne = false,
  }: FinalizerOptions & { readonly revision: number },
): string | undefined {
  if (finalizers.length === 0) return undefined;
  const all = finalizers.join(', ');
  if (deletionTimestamp === undefined) return `${name} with ${all} is gone at ${revision}`;
  if (isOneByOne && finalizers.length > 1) return `${name} is gone at ${revision}, when ${all} still stood`;
  const isReleased = released.has(name) || released.has(uid);
  const held = finalizers.filter((finalizer) => !isReleased && !collected.has(finalizer));
  return held.length === 0
    ? undefined
    : `${name} is gone at ${revision}, and nobody took ${held.join(', ')} away`;
}
