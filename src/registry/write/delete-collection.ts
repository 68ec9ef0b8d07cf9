/** Delete collection: a list whose entries are deleted one by one, a bounded number at a time. */
import type { Entry } from '../../storage/types.ts';
import { isObjectNotFound } from '../../meta/object-errors.ts';
import type { RegistryDeps } from '../registry-context.ts';
import { deleteObject } from './delete.ts';
import { derivedScope } from '../derived-scope.ts';
import { listObjects } from '../read/get-list.ts';
import { addressOf } from '../scope-keys.ts';
import { queueOf } from '../types.ts';
import type { DeleteElsewhere, DeleteOptions, ListOptions, ListResult, RequestScope } from '../types.ts';

const usualWorkers = 16;

/** How the objects of a collection are deleted. */
export interface CollectionDeletion {
  readonly options: DeleteOptions;
  /** Deletes large ones; absent where this thread deletes all. */
  readonly elsewhere?: DeleteElsewhere | undefined;
}

/**
 * Deletes the objects of a list, or a chunk of it; objects that are deleted meanwhile are skipped. Stops at the first
 * error, after the deletions in progress.
 * @throws StatusError of list and delete
 */
export async function deleteCollection(
  deps: RegistryDeps,
  scope: RequestScope,
  list: ListOptions,
  how: CollectionDeletion,
): Promise<ListResult> {
  const picked = await listObjects(deps.storage, scope, { ...list, asStored: true });
  const { entries } = picked;
  const deleted: Entry[] = [];
  const queue = queueOf(entries);
  const refusals: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const entry of queue) {
      if (refusals.length > 0) return;
      try {
        if (await deleteOne(deps, scope, entry, how)) deleted.push(entry);
      } catch (error) {
        refusals.push(error);
      }
    }
  };
  const workers = deps.deleteCollectionWorkers ?? usualWorkers;
  await Promise.all(Array.from({ length: Math.min(workers, entries.length) }, worker));
  if (refusals.length > 0) throw refusals[0];
  return { ...picked, entries: deleted };
}

/** False: it is gone already. */
async function deleteOne(
  deps: RegistryDeps,
  scope: RequestScope,
  entry: Entry,
  { options, elsewhere }: CollectionDeletion,
): Promise<boolean> {
  const slash = entry.key.indexOf('/');
  const namespace = scope.resource.namespaced ? entry.key.slice(0, slash) : '';
  const name = entry.key.slice(slash + 1);
  const own = derivedScope(scope, { namespace });
  try {
    if (!(await elsewhere?.(own, name, entry))) await deleteObject(deps, own, name, options);
    return true;
  } catch (error) {
    if (isObjectNotFound(error, addressOf(own, name))) return false;
    throw error;
  }
}
