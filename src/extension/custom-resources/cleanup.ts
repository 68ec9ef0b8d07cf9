/**
 * Cleanup of a deleted definition: first its objects are deleted, then its finalizer is removed. Every replica does
 * this, and a slow one may still be busy when a new definition of the same name has objects of the same names. So
 * objects are never deleted by name alone, but with a precondition on the revision observed while their definition
 * existed.
 */
import { isObjectNotFound, type ObjectAddress } from '../../meta/object-errors.ts';
import { StatusError } from '../../meta/status.ts';
import { everything } from '../../registry/read/list-options.ts';
import { addressOf } from '../../registry/scope-keys.ts';
import { queueOf } from '../../registry/types.ts';
import type {
  EntryList,
  ListOptions,
  RequestScope,
  ResourceVerbs,
  ServedResource,
} from '../../registry/types.ts';
import type { Revision } from '../../storage/types.ts';

export interface CleanupParts {
  readonly verbs: ResourceVerbs;
  readonly scopeOf: (resource: ServedResource) => RequestScope;
}

const parallelDeletes = 16;

const all: ListOptions = { ...everything, asStored: true };

const inBackground = {
  gracePeriodSeconds: undefined,
  orphanDependents: undefined,
  propagationPolicy: 'Background',
} as const;

/**
 * Deletes all objects. Returns true if none was left; finalizers may delay deletions.
 * @param isStillThere whether the definition is still the same
 */
export async function removeObjects(
  parts: CleanupParts,
  stored: ServedResource,
  isStillThere: () => Promise<boolean>,
): Promise<boolean> {
  const { verbs, scopeOf } = parts;
  const { entries } = await verbs.list(scopeOf(stored), all);
  if (entries.length === 0 || !(await isStillThere())) return true;
  await deleteEntries(parts, stored, entries);
  return (await verbs.list(scopeOf(stored), { ...all, limit: 1 })).entries.length === 0;
}

/**
 * Deletes leftovers: objects written before a revision at which none could exist, after the cleanup of an earlier
 * definition. Another replica may have established the definition meanwhile, so newer objects are kept.
 */
export async function removeLeftovers(
  parts: CleanupParts,
  stored: ServedResource,
  before: Revision,
): Promise<void> {
  const { entries } = await parts.verbs.list(parts.scopeOf(stored), all);
  const leftovers = Array.from(entries).filter(({ modRevision }) => modRevision < before);
  await deleteEntries(parts, stored, leftovers);
}

/** Deletes exactly these revisions; objects that changed or were deleted meanwhile are skipped. */
async function deleteEntries(
  { verbs, scopeOf }: CleanupParts,
  stored: ServedResource,
  entries: EntryList,
): Promise<void> {
  const scope = scopeOf(stored);
  const queue = queueOf(entries);
  const worker = async (): Promise<void> => {
    for (const { key, modRevision } of queue) {
      const slash = key.indexOf('/');
      const namespace = stored.namespaced ? key.slice(0, slash) : '';
      const preconditions = { resourceVersion: String(modRevision) };
      const own = { ...scope, namespace };
      const name = key.slice(slash + 1);
      await verbs
        .delete(own, name, { ...inBackground, preconditions })
        .catch((error: unknown) => unlessChanged(error, addressOf(own, name)));
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallelDeletes, entries.length) }, worker));
}

/** Conflicts are ignored: remaining objects are listed again. */
function unlessChanged(error: unknown, object: ObjectAddress): void {
  const isConflict = error instanceof StatusError && error.code === 409;
  if (!isConflict && !isObjectNotFound(error, object)) throw error;
}
