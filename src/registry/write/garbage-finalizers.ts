/**
 * The finalizers of the garbage collector (foreground deletion, orphan). A deletion sets them by its options,
 * otherwise by the existing ones, otherwise by the default of the kind.
 */
import type { DeleteOptions } from '../types.ts';

const orphanFinalizer = 'orphan';
const foregroundFinalizer = 'foregroundDeletion';

type Propagation = 'Orphan' | 'Background' | 'Foreground';

/** The finalizers of the object after a deletion request. */
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
