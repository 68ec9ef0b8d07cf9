/** Watch: events of storage become items of one watcher, as its selectors and its start demand. */
import type {
  CollectionSnapshot,
  Entry,
  Revision,
  Storage,
  StoredEvent,
  WatchSubscriber,
} from '../storage/types.ts';
import { StorageError } from '../storage/types.ts';
import { Slice } from '../base/cooperate.ts';
import { toStatusError } from './errors.ts';
import { watchBegin } from './read-version.ts';
import { objectKey, scopePrefix } from './scope-keys.ts';
import type { Selection } from './selection.ts';
import { compileSelection } from './selection.ts';
import type { RequestScope, WatchItem, WatchQuery, WatchSink } from './types.ts';

/**
 * Opens a watch. Resolves when its start point is secured, so that refusals are still HTTP answers.
 * @throws StatusError 400, 410, 422, 504
 */
export async function watchObjects(
  storage: Storage,
  scope: RequestScope,
  query: WatchQuery,
  sink: WatchSink,
): Promise<{ close(): void }> {
  const { start, announceInitialEnd } = watchBegin(query, scope.resource.naming);
  const selection = compileSelection(scope.resource, query.labelSelector, query.fieldSelector);
  const established = Promise.withResolvers<undefined>();
  const translate = (error: StorageError): unknown =>
    toStatusError(error, {
      resource: scope.resource.gvr,
      name: query.name,
      resourceVersion: query.resourceVersion,
    });
  const subscriber = new SelectedWatch({
    sink,
    selection,
    prefix: watchedPrefix(scope, query),
    announceInitialEnd,
    established,
    translate,
  });
  const handle = storage.watch(
    {
      collection: scope.resource.storage.collection,
      prefix: watchedPrefix(scope, query),
      exactKey: query.name !== '',
      start,
      signal: scope.signal,
    },
    subscriber,
  );
  await established.promise;
  return handle;
}

function watchedPrefix(scope: RequestScope, query: WatchQuery): string {
  return query.name === '' ? scopePrefix(scope) : objectKey(scope, query.name);
}

interface SelectedWatchParts {
  readonly sink: WatchSink;
  readonly selection: Selection;
  readonly prefix: string;
  readonly announceInitialEnd: boolean;
  readonly established: PromiseWithResolvers<undefined>;
  readonly translate: (error: StorageError) => unknown;
}

/**
 * Order is kept while the initial state is delivered in slices: events that arrive meanwhile wait in `held`.
 * `held` is bounded by `maxHeld`; when full the watch ends and the client lists again.
 */
class SelectedWatch implements WatchSubscriber {
  private readonly parts: SelectedWatchParts;
  private isEstablished = false;
  private held: StoredEvent[] | undefined;
  private ended = false;

  constructor(parts: SelectedWatchParts) {
    this.parts = parts;
  }

  onEstablished(): void {
    this.isEstablished = true;
    this.parts.established.resolve(undefined);
  }

  onInitial(snapshot: CollectionSnapshot): void {
    this.held = [];
    this.deliverInitial(snapshot).catch((error: unknown) => {
      this.end(error);
    });
  }

  onEvents(events: readonly StoredEvent[]): void {
    if (this.held === undefined) this.deliver(events);
    else if (this.held.length + events.length <= maxHeld) this.held.push(...events);
    else this.onEnd(new StorageError('compacted', 'too many changes while the initial state was sent'));
  }

  onProgress(revision: Revision): void {
    if (this.held === undefined && !this.ended) this.parts.sink.onBookmark(revision, false);
  }

  onEnd(reason: StorageError): void {
    this.end(this.parts.translate(reason));
  }

  ready(): Promise<void> {
    return this.parts.sink.ready();
  }

  private end(status: unknown): void {
    if (this.ended) return;
    this.ended = true;
    if (this.isEstablished) this.parts.sink.onError(status);
    else this.parts.established.reject(status);
  }

  private async deliverInitial(snapshot: CollectionSnapshot): Promise<void> {
    const slice = new Slice();
    let items: WatchItem[] = [];
    for (const entry of snapshot.entries(this.parts.prefix, '')) {
      if (this.ended) return;
      if (this.parts.selection.matches(entry)) items.push({ type: 'ADDED', event: entry });
      if (items.length >= initialBatch || slice.shouldYield()) {
        items = await this.flush(items, slice);
      }
    }
    await this.flush(items, slice);
    if (this.parts.announceInitialEnd) this.parts.sink.onBookmark(snapshot.revision, true);
    this.releaseHeld();
  }

  private async flush(items: WatchItem[], slice: Slice): Promise<WatchItem[]> {
    if (items.length > 0 && !this.ended) this.parts.sink.onItems(items);
    await this.parts.sink.ready();
    await slice.yieldNow();
    return [];
  }

  private releaseHeld(): void {
    const events = this.held ?? [];
    this.held = undefined;
    this.deliver(events);
  }

  private deliver(events: readonly StoredEvent[]): void {
    if (this.ended) return;
    const items: WatchItem[] = [];
    for (const event of events) {
      const item = selectedItem(this.parts.selection, event);
      if (item) items.push(item);
    }
    if (items.length > 0) this.parts.sink.onItems(items);
  }
}

const initialBatch = 100;
const maxHeld = 50_000;

/** What an event means to a watcher: entering its selection is ADDED, leaving it is DELETED with the last matching state. */
function selectedItem(selection: Selection, event: StoredEvent): WatchItem | undefined {
  const { entry, previous } = event;
  if (event.type === 'delete')
    return selection.matches(entry) ? { type: 'DELETED', event: entry } : undefined;
  const is = selection.matches(entry);
  const was = previous !== undefined && selection.matches(previous);
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', event: entry };
  return was ? { type: 'DELETED', event: departed(event, previous) } : undefined;
}

const departedKey = Symbol('departed');

/** The last matching state with the version of the change that took it away; shared by all watchers of the event. */
function departed(event: StoredEvent, previous: Entry): Entry {
  const memo = (event.entry.memo ??= new Map());
  const known = memo.get(departedKey) as Entry | undefined;
  if (known) return known;
  const entry: Entry = { ...previous, modRevision: event.revision, memo: undefined };
  memo.set(departedKey, entry);
  return entry;
}
