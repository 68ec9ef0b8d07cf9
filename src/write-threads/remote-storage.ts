/**
 * The storage of the serving thread as a remote storage of a write thread. Writes and fresh reads are asynchronous
 * calls; synchronous look-ups of the registry block this thread. Watched collections are mirrored: messages are
 * ordered, so a mirror is as new as any job of the serving thread.
 */
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import {
  StorageError,
  type Attribute,
  type Claims,
  type CollectionId,
  type CollectionSnapshot,
  type Condition,
  type Entry,
  type Freshness,
  type Lifetime,
  type ObjectKey,
  type Revision,
  type Storage,
  type StorageWrites,
  type WatchHandle,
  type WatchOptions,
  type WatchSubscriber,
  type WriteReceipt,
} from '../storage/types.ts';
import type {
  BlockingAnswer,
  BlockingCalls,
  BlockingQuestion,
  CallOf,
  Outcome,
  SentEntry,
  SentError,
  SentPage,
  SentReceipt,
  StorageCalls,
  ToThread,
} from './thread-messages.ts';
import { Mirror, type MirrorMessage } from './mirror.ts';
import { receivedEntry, receivedError, receivedProblem, receivedReceipt, sentBytes } from './transfer.ts';

/** Timeout of a blocking call; the serving thread responds in its next turn. */
const blockingMs = 30_000;
const pageSize = 500;

export interface RemoteStorageOptions {
  readonly blockingPort: MessagePort;
  readonly wake: Int32Array<SharedArrayBuffer>;
  /** Calls the serving thread. */
  readonly call: (request: CallOf<StorageCalls>) => Promise<unknown>;
  readonly watch: (watch: number, collection: CollectionId) => void;
  readonly unwatch: (watch: number) => void;
}

export class RemoteStorage implements Storage {
  readonly #options: RemoteStorageOptions;
  readonly #mirrors = new Map<number, Mirror>();
  readonly #contents = new Map<CollectionId, { readonly state: number }>();
  /** The last complete state of each watched collection. */
  readonly #byCollection = new Map<CollectionId, Mirror>();
  readonly #firstLoads = new Map<CollectionId, PromiseWithResolvers<undefined>>();
  readonly #writes = this.claiming(undefined);
  #watches = 0;
  #questions = 0;

  constructor(options: RemoteStorageOptions) {
    this.#options = options;
  }

  /** Resolves when all watched collections have been loaded. */
  async loaded(): Promise<void> {
    await Promise.all([...this.#firstLoads.values()].map(({ promise }) => promise));
  }

  /** Handles a message of a watch. */
  hear(message: Extract<ToThread, MirrorMessage | { kind: 'watchEnd' }>): void {
    const mirror = this.#mirrors.get(message.watch);
    if (message.kind !== 'watchEnd') {
      mirror?.hear(message);
      return;
    }
    this.#mirrors.delete(message.watch);
    const error = receivedError(message.error);
    mirror?.end(error instanceof StorageError ? error : new StorageError('unavailable', error.message));
  }

  /** Entries are read from the view when they are accessed, at that revision or later. */
  async snapshot(collection: CollectionId, freshness: Freshness): Promise<CollectionSnapshot> {
    const revision = (await this.#call({ method: 'snapshot', args: [collection, freshness] })) as Revision;
    return new RemoteSnapshot(this, collection, revision);
  }

  async get(
    collection: CollectionId,
    key: ObjectKey,
    freshness: Freshness,
    lifetime: Lifetime,
  ): Promise<Entry | undefined> {
    if (lifetime.aborted) throw lifetime.reason;
    const entry = await this.#call({ method: 'get', args: [collection, key, freshness] });
    return entryOf(entry as SentEntry | undefined);
  }

  peek(collection: CollectionId, key: ObjectKey): Entry | undefined {
    const mirror = this.#byCollection.get(collection);
    if (mirror) return mirror.get(key);
    return entryOf(this.block({ method: 'peek', args: [collection, key] }) as SentEntry | undefined);
  }

  view(collection: CollectionId): CollectionSnapshot {
    return this.#byCollection.get(collection) ?? new RemoteSnapshot(this, collection, undefined);
  }

  /** As that of snapshots, of a collection that is not mirrored. */
  contents(collection: CollectionId): object {
    const state = this.block({ method: 'state', args: [collection] }) as number;
    const known = this.#contents.get(collection);
    if (known?.state === state) return known;
    const changed = { state };
    this.#contents.set(collection, changed);
    return changed;
  }

  revision(collection?: CollectionId): Revision {
    return this.block({ method: 'revision', args: [collection] }) as Revision;
  }

  create(
    collection: CollectionId,
    key: ObjectKey,
    bytes: Buffer,
    condition?: Condition,
  ): Promise<WriteReceipt> {
    return this.#writes.create(collection, key, bytes, condition);
  }

  update(collection: CollectionId, key: ObjectKey, bytes: Buffer, expected: Revision): Promise<WriteReceipt> {
    return this.#writes.update(collection, key, bytes, expected);
  }

  delete(collection: CollectionId, key: ObjectKey, expected: Revision): Promise<WriteReceipt> {
    return this.#writes.delete(collection, key, expected);
  }

  claiming(claims: Claims | undefined): StorageWrites {
    return {
      create: (collection, key, bytes, condition) =>
        this.#write({ method: 'create', args: [collection, key, sentBytes(bytes), condition, claims] }),
      update: (collection, key, bytes, expected) =>
        this.#write({ method: 'update', args: [collection, key, sentBytes(bytes), expected, claims] }),
      delete: (collection, key, expected) =>
        this.#write({ method: 'delete', args: [collection, key, expected, claims] }),
    };
  }

  async health(): Promise<{ etcd: string; follower: string }> {
    return (await this.#call({ method: 'health', args: [] })) as { etcd: string; follower: string };
  }

  /** Only watches of whole collections with their state are supported, as no others are used. */
  watch({ collection, prefix, start, signal }: WatchOptions, subscriber: WatchSubscriber): WatchHandle {
    if (prefix !== '' || start.kind !== 'stateThenChanges')
      throw new Error('a write thread follows whole collections from their state on');
    const watch = ++this.#watches;
    const firstLoad = this.#firstLoads.get(collection) ?? Promise.withResolvers<undefined>();
    this.#firstLoads.set(collection, firstLoad);
    const mirror = new Mirror(collection, subscriber, this.#byCollection.get(collection), () => {
      this.#byCollection.set(collection, mirror);
      firstLoad.resolve(undefined);
    });
    this.#mirrors.set(watch, mirror);
    const close = (): void => {
      signal.removeEventListener('abort', close);
      if (this.#mirrors.delete(watch)) this.#options.unwatch(watch);
    };
    signal.addEventListener('abort', close, { once: true });
    this.#options.watch(watch, collection);
    return { close };
  }

  /**
   * Blocks until the response arrives.
   * @throws StorageError after a timeout
   */
  block(request: CallOf<BlockingCalls>): unknown {
    const { blockingPort, wake } = this.#options;
    const question = ++this.#questions;
    Atomics.store(wake, 0, 0);
    blockingPort.postMessage({ question, request } satisfies BlockingQuestion);
    const until = performance.now() + blockingMs;
    for (;;) {
      if (Atomics.wait(wake, 0, 0, until - performance.now()) === 'timed-out')
        throw new StorageError('unavailable', 'the serving thread does not respond');
      // Before the check: a message after the check wakes the thread again.
      Atomics.store(wake, 0, 0);
      const outcome = this.#answerTo(question);
      if (!outcome) continue;
      if ('error' in outcome) throw receivedError(outcome.error);
      return outcome.value;
    }
  }

  /** Responses to earlier calls that timed out are dropped. */
  #answerTo(question: number): Outcome | undefined {
    for (;;) {
      const answer = receiveMessageOnPort(this.#options.blockingPort)?.message as BlockingAnswer | undefined;
      if (!answer || answer.question === question) return answer?.outcome;
    }
  }

  #call(request: CallOf<StorageCalls>): Promise<unknown> {
    return this.#options.call(request);
  }

  async #write(request: CallOf<StorageCalls>): Promise<WriteReceipt> {
    return receivedReceipt((await this.#call(request)) as SentReceipt);
  }
}

function entryOf(sent: SentEntry | undefined): Entry | undefined {
  return sent && receivedEntry(sent);
}

/** A snapshot of a collection that is not mirrored. */
class RemoteSnapshot implements CollectionSnapshot {
  readonly collection: CollectionId;
  readonly #storage: RemoteStorage;
  readonly #revision: Revision | undefined;

  constructor(storage: RemoteStorage, collection: CollectionId, revision: Revision | undefined) {
    this.#storage = storage;
    this.collection = collection;
    this.#revision = revision;
  }

  get revision(): Revision {
    return this.#revision ?? this.#storage.revision(this.collection);
  }

  get size(): number {
    return this.#storage.block({ method: 'size', args: [this.collection] }) as number;
  }

  get contents(): object {
    return this.#storage.contents(this.collection);
  }

  unreadableIn(prefix: string): StorageError | undefined {
    const asked = this.#storage.block({ method: 'unreadable', args: [this.collection, prefix] });
    const error = asked as SentError | undefined;
    return error && receivedProblem(error);
  }

  get(key: ObjectKey): Entry | undefined {
    return this.#storage.peek(this.collection, key);
  }

  *entries(prefix: string, after: ObjectKey): Iterable<Entry> {
    for (let last = after; ;) {
      const page = this.page(prefix, last, pageSize);
      yield* page;
      if (page.length < pageSize) return;
      last = page.at(-1)?.key ?? last;
    }
  }

  page(prefix: string, after: ObjectKey, limit: number): readonly Entry[] {
    const { collection } = this;
    const all: Entry[] = [];
    for (;;) {
      const args = [collection, prefix, all.at(-1)?.key ?? after, limit - all.length] as const;
      const { entries, isLast } = this.#storage.block({ method: 'page', args: [...args] }) as SentPage;
      for (const sent of entries) all.push(receivedEntry(sent));
      if (isLast) return all;
    }
  }

  count(prefix: string, after: ObjectKey): number {
    return this.#storage.block({ method: 'count', args: [this.collection, prefix, after] }) as number;
  }

  having(_attribute: Attribute, _values: ReadonlySet<string>): undefined {
    return undefined;
  }
}
