/** Watch: turns storage events into the items of a watcher, by its selectors and start. */
import { sizeOf } from '../../storage/size.ts';
import type { CollectionSnapshot, Entry, Revision, Storage, StoredEvent } from '../../storage/types.ts';
import { StorageError } from '../../storage/types.ts';
import { SharedSlice, turnFor } from '../../base/cooperate.ts';
import { ConvertedWatch } from '../conversion/converted-watch.ts';
import {
  freeGrowth,
  growthOf,
  growthOfWatch,
  type GrownRoom,
  type GrownShare,
} from '../conversion/grown-room.ts';
import type { QueuedSubscriber } from '../conversion/queued-watch.ts';
import { newEntry } from '../written-entry.ts';
import { toStatusError } from '../storage-errors.ts';
import type { WatchBegin } from '../read/resource-version-match.ts';
import { watchBegin } from '../read/resource-version-match.ts';
import { objectKey, scopePrefix } from '../scope-keys.ts';
import type { Selection } from '../read/selection.ts';
import { compileSelection } from '../read/selection.ts';
import { ReadWatch } from './read-watch.ts';
import type { SelectorRoom } from './selector-room.ts';
import type { StreamingLists } from '../read/streaming-lists.ts';
import type { RequestScope, WatchItem, WatchQuery, WatchSink } from '../types.ts';

/** The initial states of all watches share the time of the thread: hundreds may begin at once. */
const starting = new SharedSlice();

export interface WatchOptions {
  readonly query: WatchQuery;
  readonly streaming: StreamingLists;
  /** For objects of the initial state that grow by conversion; absent: it is not bounded. */
  readonly room?: GrownRoom;
  /** For long selectors; absent: they are not bounded. */
  readonly selectors?: SelectorRoom;
}

/**
 * Opens a watch. Resolves when it is established, so that errors before are HTTP responses.
 * @throws StatusError 400, 410, 422, 429, 504
 */
export async function watchObjects(
  storage: Storage,
  scope: RequestScope,
  { query, streaming, room, selectors }: WatchOptions,
  sink: WatchSink,
): Promise<{ close(): void }> {
  const { start, initial } = watchBegin(query, scope.resource.naming, streaming);
  const selection =
    selectors?.selectionFor(scope, query) ??
    compileSelection(scope.resource, query.labelSelector, query.fieldSelector);
  const established = Promise.withResolvers<undefined>();
  const translate = (error: StorageError): unknown =>
    toStatusError(error, {
      resource: scope.resource.gvr,
      name: query.name,
      resourceVersion: query.resourceVersion,
    });
  const { stored: conversion } = scope.resource.conversion;
  const selected = new SelectedWatch(established, {
    sink,
    selection,
    prefix: watchedPrefix(scope, query),
    initial,
    translate,
    ...(conversion && { convert: (entries) => conversion.decodeFirst(entries, scope.signal) }),
    shareOf: () => room?.shareOf(scope),
  });
  const read = selection.empty ? selected : new ReadWatch(selection, selected);
  const subscriber = conversion
    ? new ConvertedWatch({
        ...{ conversion, subscriber: read, signal: scope.signal },
        needsPrevious: !selection.empty,
      })
    : read;
  const handle = storage.watch(
    {
      collection: scope.resource.storage.collection,
      prefix: watchedPrefix(scope, query),
      exactKey: query.name !== '',
      start,
      relists: sink.relists === true,
      signal: scope.signal,
    },
    subscriber,
  );
  await established.promise;
  return {
    close: () => {
      selected.close();
      handle.close();
    },
  };
}

function watchedPrefix(scope: RequestScope, query: WatchQuery): string {
  return query.name === '' ? scopePrefix(scope) : objectKey(scope, query.name);
}

/** Told once that a watch is established, or why not. */
type Start = Pick<PromiseWithResolvers<undefined>, 'resolve' | 'reject'>;

type ConvertSome = (entries: readonly Entry[]) => Promise<readonly Entry[]>;

interface SelectedWatchParts {
  readonly sink: WatchSink;
  readonly selection: Selection;
  readonly prefix: string;
  readonly initial: WatchBegin['initial'];
  readonly translate: (error: StorageError) => unknown;
  /** The first of the entries converted, at least one. Absent if entries need no conversion. */
  readonly convert?: ConvertSome;
  /** Of the room for what they grow by. */
  readonly shareOf: () => GrownShare | undefined;
}

/** Delivers the initial state in slices; the storage holds back later events. */
class SelectedWatch implements QueuedSubscriber {
  private readonly parts: SelectedWatchParts;
  /** Undefined once it is established. */
  private start: Start | undefined;
  private initialState: Promise<void> | undefined = undefined;
  private ended = false;
  /** Set once entries of the initial state have grown. */
  private share: GrownShare | undefined = undefined;

  constructor(start: Start, parts: SelectedWatchParts) {
    this.start = start;
    this.parts = parts;
  }

  onEstablished(): void {
    this.start?.resolve(undefined);
    this.start = undefined;
  }

  onInitial(snapshot: CollectionSnapshot): void {
    this.initialState = this.deliverInitial(snapshot).catch((error: unknown) => {
      this.end(error);
    });
  }

  onEvents(events: readonly StoredEvent[]): void {
    if (this.ended) return;
    const items: WatchItem[] = [];
    for (const event of events) {
      const item = selectedItem(this.parts.selection, event);
      if (item) items.push(item);
    }
    if (items.length > 0) this.parts.sink.onItems(items);
  }

  onProgress(revision: Revision): void {
    if (!this.ended) this.parts.sink.onBookmark(revision, false);
  }

  onEnd(reason: StorageError): void {
    this.end(this.parts.translate(reason));
  }

  fail(error: unknown): void {
    this.end(error);
  }

  /** Nothing more is selected for a client that is gone: the state of a large collection takes seconds. */
  close(): void {
    this.ended = true;
  }

  async ready(): Promise<void> {
    await this.initialState;
    await this.parts.sink.ready();
  }

  private end(status: unknown): void {
    if (this.ended) return;
    this.ended = true;
    if (this.start) this.start.reject(status);
    else this.parts.sink.onError(status);
  }

  private async deliverInitial(snapshot: CollectionSnapshot): Promise<void> {
    const { initial, prefix, sink, translate } = this.parts;
    const unreadable = snapshot.unreadableIn?.(prefix);
    if (unreadable !== undefined) throw translate(unreadable);
    if (initial !== 'skipped') await this.deliverEntries(snapshot.entries(prefix, ''));
    if (!this.ended) sink.onBookmark(snapshot.revision, initial === 'announced');
  }

  private async deliverEntries(entries: Iterable<Entry>): Promise<void> {
    const { convert, selection } = this.parts;
    let batch = new InitialBatch();
    for (const entry of entries) {
      if (this.ended) return;
      if (batch.isFull) {
        await this.flush(batch);
        if (starting.shouldYield()) await starting.yieldNow();
        batch = new InitialBatch();
      }
      batch.see(entry);
      const reading = convert ? undefined : selection.read(entry);
      if (reading) await reading;
      if (convert || selection.matches(entry)) batch.add(entry);
    }
    await this.flush(batch);
  }

  private async flush(batch: InitialBatch): Promise<void> {
    if (this.parts.convert) return this.flushConverted(batch.items, this.parts.convert);
    await this.show(batch.items, batch.size);
  }

  /** Converted ones may be far larger: some are converted, and read by the client, before the next. */
  private async flushConverted(items: readonly WatchItem[], convert: ConvertSome): Promise<void> {
    for (let left = items.map(({ event }) => event); left.length > 0 && !this.ended;) {
      await this.share?.take(growthOfWatch);
      try {
        left = left.slice(await this.showSome(left, convert));
      } finally {
        this.share?.keep(0);
      }
    }
  }

  /** Returns how many were shown: none if they grow, and there has to be room first. What was made of them is let go. */
  private async showSome(stored: readonly Entry[], convert: ConvertSome): Promise<number> {
    const { selection, shareOf } = this.parts;
    const shown = await convert(stored);
    if (!this.share && growthOf(shown, stored) > freeGrowth && (this.share = shareOf())) return 0;
    // Selectors are evaluated after the conversion.
    for (const entry of shown) {
      const reading = selection.read(entry);
      if (reading) await reading;
    }
    const matching = shown.filter((entry) => selection.matches(entry));
    const size = shown.reduce((sum, entry) => sum + sizeOf(entry), 0);
    await this.show(
      matching.map((event) => ({ type: 'ADDED', event })),
      size,
    );
    return shown.length;
  }

  private async show(items: readonly WatchItem[], bytes: number): Promise<void> {
    // Of all large states that watches begin with, about one is shown in a turn.
    await turnFor(bytes);
    if (items.length > 0 && !this.ended) this.parts.sink.onItems(items, true);
    await this.parts.sink.ready();
  }
}

/** A batch of the initial state, small enough for backpressure. */
class InitialBatch {
  readonly items: WatchItem[] = [];
  private bytes = 0;
  private seen = 0;
  private seenBytes = 0;

  get isFull(): boolean {
    return this.items.length >= 100 || this.seen >= 256 || this.seenBytes >= 256 * 1024;
  }

  get size(): number {
    return this.bytes;
  }

  /** Counts an entry that is filtered: selectors of fields parse it. */
  see(entry: Entry): void {
    this.seen += 1;
    this.seenBytes += sizeOf(entry);
  }

  add(event: Entry): void {
    this.items.push({ type: 'ADDED', event });
    this.bytes += sizeOf(event);
  }
}

/**
 * The event of a watcher: an object that starts to match is ADDED, one that stops is DELETED with the last matching
 * state.
 */
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

/** The last matching state with the version of the change; shared by all watchers. */
function departed(event: StoredEvent, previous: Entry): Entry {
  const memo = (event.entry.memo ??= new Map());
  const known = memo.get(departedKey) as Entry | undefined;
  if (known) return known;
  const entry = newEntry(previous.collection, previous.key, previous.bytes, event.revision);
  memo.set(departedKey, entry);
  return entry;
}
