/** Serves storage calls of a write thread in the serving thread, and watches collections for it. */
import { Slice } from '../base/cooperate.ts';
import { joinedSignals } from '../base/joined-signals.ts';
import type {
  Claims,
  CollectionId,
  CollectionSnapshot,
  Lifetime,
  Storage,
  StorageWrites,
  StoredEvent,
} from '../storage/types.ts';
import type {
  BlockingCalls,
  CallOf,
  SentEntry,
  SentError,
  SentEvent,
  SentPage,
  StorageCalls,
  ToThread,
} from './thread-messages.ts';
import { receivedBytes, sentEntry, sentError, sentReceipt } from './transfer.ts';

/** Bytes of the state of a collection per message. */
const partBytes = 256 * 1024;

type Send = (message: ToThread) => void;

export class StorageService {
  readonly #storage: Storage;
  readonly #send: Send;
  /** Aborted when the thread ends. */
  readonly #lifetime: AbortSignal;
  readonly #watches = new Map<number, AbortController>();
  readonly #states = new WeakMap<object, number>();
  #lastState = 0;

  constructor(storage: Storage, send: Send, lifetime: AbortSignal) {
    this.#storage = storage;
    this.#send = send;
    this.#lifetime = lifetime;
  }

  /**
   * Serves a call, except `assertMayCreate`.
   * @throws StorageError
   */
  async answer(
    call: Exclude<CallOf<StorageCalls>, { method: 'assertMayCreate' }>,
    lifetime: Lifetime,
  ): Promise<unknown> {
    const storage = this.#storage;
    switch (call.method) {
      case 'get': {
        const entry = await storage.get(...call.args, lifetime);
        return entry && sentEntry(entry);
      }
      case 'snapshot':
        return (await storage.snapshot(...call.args, lifetime)).revision;
      case 'create': {
        const [collection, key, bytes, condition, claims] = call.args;
        const writes = this.#writes(claims);
        return sentReceipt(await writes.create(collection, key, receivedBytes(bytes), condition));
      }
      case 'update': {
        const [collection, key, bytes, expected, claims] = call.args;
        const writes = this.#writes(claims);
        return sentReceipt(await writes.update(collection, key, receivedBytes(bytes), expected));
      }
      case 'delete': {
        const [collection, key, expected, claims] = call.args;
        return sentReceipt(await this.#writes(claims).delete(collection, key, expected));
      }
      case 'health':
        return storage.health();
    }
  }

  #writes(claims: Claims | undefined): StorageWrites {
    return claims ? this.#storage.claiming(claims) : this.#storage;
  }

  /** Serves a blocking call. */
  answerNow(call: CallOf<BlockingCalls>): unknown {
    const storage = this.#storage;
    switch (call.method) {
      case 'peek': {
        const entry = storage.peek(...call.args);
        return entry && sentEntry(entry);
      }
      case 'page': {
        const [collection, prefix, after, limit] = call.args;
        return sentPage(storage.view(collection), { prefix, after, limit });
      }
      case 'count': {
        const [collection, prefix, after] = call.args;
        return storage.view(collection).count(prefix, after);
      }
      case 'size':
        return storage.view(...call.args).size;
      case 'unreadable': {
        const [collection, prefix] = call.args;
        return sentProblem(storage.view(collection), prefix);
      }
      case 'state':
        return this.#numberOf(storage.view(...call.args).contents);
      case 'revision':
        return storage.revision(...call.args);
    }
  }

  #numberOf(contents: object): number {
    const known = this.#states.get(contents);
    if (known !== undefined) return known;
    this.#states.set(contents, ++this.#lastState);
    return this.#lastState;
  }

  /** Sends the state of a collection, then its changes, until the watch ends. */
  watch(watch: number, collection: CollectionId): void {
    const stopping = new AbortController();
    this.#watches.set(watch, stopping);
    const joined = joinedSignals(this.#lifetime, stopping.signal);
    const { signal } = joined;
    let stateSent = Promise.resolve();
    this.#storage.watch(
      { collection, prefix: '', start: { kind: 'stateThenChanges', freshness: { kind: 'any' } }, signal },
      {
        onEstablished: () => undefined,
        onInitial: (snapshot) => {
          stateSent = this.#sendState(watch, snapshot, signal);
        },
        onEvents: (events) => {
          this.#send({ kind: 'events', watch, events: events.map(sentEvent) });
        },
        onProgress: () => undefined,
        onEnd: (reason) => {
          this.#watches.delete(watch);
          joined[Symbol.dispose]();
          if (!signal.aborted) this.#send({ kind: 'watchEnd', watch, error: sentError(reason) });
        },
        ready: () => stateSent,
      },
    );
  }

  unwatch(watch: number): void {
    this.#watches.get(watch)?.abort();
    this.#watches.delete(watch);
  }

  async #sendState(watch: number, snapshot: CollectionSnapshot, signal: AbortSignal): Promise<void> {
    const slice = new Slice();
    const { revision } = snapshot;
    let entries: ReturnType<typeof sentEntry>[] = [];
    let size = 0;
    for (const entry of snapshot.entries('', '')) {
      if (signal.aborted) return;
      entries.push(sentEntry(entry));
      size += entry.size ?? entry.bytes.length;
      if (size < partBytes) continue;
      this.#send({ kind: 'state', watch, entries, revision, isLast: false });
      entries = [];
      size = 0;
      await slice.breathe();
    }
    const unreadable = sentProblem(snapshot, '');
    this.#send({ kind: 'state', watch, entries, revision, isLast: true, unreadable });
  }
}

/** The beginning of a page: the thread asks again for the rest, so that no answer copies many megabytes. */
function sentPage(
  snapshot: CollectionSnapshot,
  { prefix, after, limit }: { readonly prefix: string; readonly after: string; readonly limit: number },
): SentPage {
  const entries: SentEntry[] = [];
  let size = 0;
  for (const entry of snapshot.entries(prefix, after)) {
    if (entries.length >= limit) break;
    if (size >= partBytes) return { entries, isLast: false };
    entries.push(sentEntry(entry));
    size += entry.size ?? entry.bytes.length;
  }
  return { entries, isLast: true };
}

function sentProblem(snapshot: CollectionSnapshot, prefix: string): SentError | undefined {
  const error = snapshot.unreadableIn?.(prefix);
  return error && sentError(error);
}

function sentEvent({ type, revision, key, entry }: StoredEvent): SentEvent {
  return { type, revision, key, entry: sentEntry(entry) };
}
