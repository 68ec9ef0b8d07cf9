/** Get and list: the resource version decides the snapshot, the selectors decide what of it is given. */
import { Slice } from '../base/cooperate.ts';
import { expiredContinue, notFound, StatusError } from '../meta/status.ts';
import type { CollectionSnapshot, Entry, Storage } from '../storage/types.ts';
import { StorageError } from '../storage/types.ts';
import { encodeContinueToken } from './continue-token.ts';
import { toStatusError, translated } from './errors.ts';
import type { ListStart } from './read-version.ts';
import { getFreshness, listStart } from './read-version.ts';
import { objectKey, scopePrefix } from './scope-keys.ts';
import type { Selection } from './selection.ts';
import { compileSelection } from './selection.ts';
import type { ListOptions, ListResult, ReadOptions, RequestScope } from './types.ts';

/** One object as fresh as the resource version asks. @throws StatusError 400, 404, 504 */
export async function getObject(
  storage: Storage,
  scope: RequestScope,
  name: string,
  options: ReadOptions,
): Promise<Entry> {
  const { resourceVersion } = options;
  const freshness = getFreshness(resourceVersion);
  const asked = { resource: scope.resource.gvr, name, resourceVersion };
  const key = objectKey(scope, name);
  const entry = await translated(asked, () =>
    storage.get(scope.resource.storage.collection, key, freshness, scope.lifetime ?? scope.signal),
  );
  if (entry === undefined) throw notFound(scope.resource.gvr, name);
  return entry;
}

/** A collection or a chunk of it. @throws StatusError 400, 410, 422, 504 */
export async function listObjects(
  storage: Storage,
  scope: RequestScope,
  options: ListOptions,
): Promise<ListResult> {
  const start = listStart(options, scope.resource.naming);
  const selection = compileSelection(scope.resource, options.labelSelector, options.fieldSelector);
  const snapshot = await openSnapshot(storage, scope, start, options.resourceVersion);
  return collect(snapshot, { prefix: scopePrefix(scope), start, selection });
}

async function openSnapshot(
  storage: Storage,
  scope: RequestScope,
  start: ListStart,
  resourceVersion: string,
): Promise<CollectionSnapshot> {
  try {
    return await storage.snapshot(
      scope.resource.storage.collection,
      start.freshness,
      scope.lifetime ?? scope.signal,
    );
  } catch (error) {
    if (start.token && error instanceof StorageError && error.code === 'compacted')
      throw expiredToken(start.token.after);
    // Told as it was sent: a number may not hold all its digits.
    const asked = start.token ? String(start.token.revision) : resourceVersion;
    throw toStatusError(error, { resource: scope.resource.gvr, name: '', resourceVersion: asked });
  }
}

/** The token's snapshot is compacted: the answer carries a token that goes on at the newest state, for who accepts that. */
function expiredToken(after: string): StatusError {
  return expiredContinue(
    'The provided continue parameter is too old to display a consistent list result. Start a new list without it, ' +
      'or use the continue token of this answer for the remainder as it is now, which is inconsistent with the ' +
      'chunks before: objects created, changed or deleted since the first chunk may be missing or doubled.',
    encodeContinueToken({ revision: undefined, after }),
  );
}

interface Wanted {
  readonly prefix: string;
  readonly start: ListStart;
  readonly selection: Selection;
}

async function collect(snapshot: CollectionSnapshot, wanted: Wanted): Promise<ListResult> {
  const { prefix, selection } = wanted;
  const limit = wanted.start.limit > 0 ? wanted.start.limit : Infinity;
  const entries: Entry[] = [];
  const after = wanted.start.token === undefined ? '' : prefix + wanted.start.token.after;
  const slice = new Slice();
  let more = false;
  for (const entry of snapshot.entries(prefix, after)) {
    if (slice.shouldYield()) await slice.yieldNow();
    if (!selection.matches(entry)) continue;
    more = entries.length >= limit;
    if (more) break;
    entries.push(entry);
  }
  return {
    revision: snapshot.revision,
    entries,
    ...chunkEnd(snapshot, wanted, more ? entries.at(-1) : undefined),
  };
}

/** Token and remaining count after `last`, the last entry of a chunk that is not the final one. */
function chunkEnd(
  snapshot: CollectionSnapshot,
  wanted: Wanted,
  last: Entry | undefined,
): Pick<ListResult, 'continue' | 'remainingItemCount'> {
  if (last === undefined) return { continue: '', remainingItemCount: undefined };
  const after = last.key.slice(wanted.prefix.length);
  return {
    continue: encodeContinueToken({ revision: snapshot.revision, after }),
    // Counting what a selector would still pick costs a whole scan: not known, as in the reference.
    remainingItemCount: wanted.selection.empty ? snapshot.count(wanted.prefix, last.key) : undefined,
  };
}
