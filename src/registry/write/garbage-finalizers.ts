/**
 * The finalizers that hold an object back while the garbage collector sees to its dependents. Which ones a deletion
 * sets follows from its options, then from those already there, then from the kind's default.
 */
import type { DeleteOptions } from '../types.ts';

const orphanFinalizer = 'orphan';
const foregroundFinalizer = 'foregroundDeletion';

type Propagation = 'Orphan' | 'Background' | 'Foreground';

/** The object's finalizers as a deletion leaves them. */
export function finalizersForDeletion(
  current: readonly string[],
  options: DeleteOptions,
  defaultPolicy: 'Orphan' | 'Background',
): string[] {
  const policy = askedFor(options) ?? alreadySet(current) ?? defaultPolicy;
  const others = current.filter((f) => f !== orphanFinalizer && f !== foregroundFinalizer);
  if (policy === 'Orphan') return [...others, orphanFinalizer];
  return policy === 'Foreground' ? [...others, foregroundFinalizer] : others;
}

function askedFor(options: DeleteOptions): Propagation | undefined {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'Orphan' : 'Background';
  return options.propagationPolicy;
}

function alreadySet(current: readonly string[]): Propagation | undefined {
  if (current.includes(orphanFinalizer)) return 'Orphan';
  return current.includes(foregroundFinalizer) ? 'Foreground' : undefined;
}
