/** The copy of a watched collection in a write thread: its state, then each change in order. */
import type {
  Attribute,
  CollectionId,
  CollectionSnapshot,
  Entry,
  ObjectKey,
  Revision,
  StorageError,
  StoredEvent,
  WatchSubscriber,
} from '../storage/types.ts';
import type { SentEvent, ToThread } from './thread-messages.ts';
import { receivedEntry, receivedProblem } from './transfer.ts';

export type MirrorMessage = Extract<ToThread, { kind: 'state' | 'events' }>;

export class Mirror implements CollectionSnapshot {
  readonly collection: CollectionId;
  readonly #entries = new Map<ObjectKey, Entry>();
  readonly #subscriber: WatchSubscriber;
  readonly #before: CollectionSnapshot | undefined;
  readonly #onLoaded: () => void;
  #revision: Revision = 0;
  #unreadable: StorageError | undefined;
  /** In key order; undefined until it is needed. */
  #sorted: readonly Entry[] | undefined;

  /**
   * @param before the previous copy; unchanged entries stay the same objects
   * @param onLoaded called once when the state is complete, before the subscriber
   */
  constructor(
    collection: CollectionId,
    subscriber: WatchSubscriber,
    before: CollectionSnapshot | undefined,
    onLoaded: () => void,
  ) {
    this.collection = collection;
    this.#subscriber = subscriber;
    this.#before = before;
    this.#onLoaded = onLoaded;
  }

  get revision(): Revision {
    return this.#revision;
  }

  get size(): number {
    return this.#entries.size;
  }

  get contents(): object {
    return this.#inOrder();
  }

  hear(message: MirrorMessage): void {
    if (message.kind === 'events') {
      this.#subscriber.onEvents(message.events.map((event) => this.#take(event)));
      return;
    }
    for (const sent of message.entries) {
      const known = this.#before?.get(sent.key);
      this.#entries.set(sent.key, known?.modRevision === sent.modRevision ? known : receivedEntry(sent));
    }
    this.#sorted = undefined;
    this.#revision = message.revision;
    if (!message.isLast) return;
    // A change of what cannot be read ends the watch, and another state comes.
    if (message.unreadable) this.#unreadable = receivedProblem(message.unreadable);
    this.#onLoaded();
    this.#subscriber.onEstablished();
    this.#subscriber.onInitial(this);
  }

  end(reason: StorageError): void {
    this.#subscriber.onEnd(reason);
  }

  get(key: ObjectKey): Entry | undefined {
    return this.#entries.get(key);
  }

  /** Of the whole collection; which parts of it can be read is not known here. */
  unreadableIn(prefix: string): StorageError | undefined {
    return prefix === '' ? this.#unreadable : undefined;
  }

  *entries(prefix: string, after: ObjectKey): Iterable<Entry> {
    for (const entry of this.#inOrder()) if (entry.key.startsWith(prefix) && entry.key > after) yield entry;
  }

  page(prefix: string, after: ObjectKey, limit: number): readonly Entry[] {
    return Array.from(this.entries(prefix, after)).slice(0, limit);
  }

  count(prefix: string, after: ObjectKey): number {
    return Array.from(this.entries(prefix, after)).length;
  }

  having(_attribute: Attribute, _values: ReadonlySet<string>): undefined {
    return undefined;
  }

  #inOrder(): readonly Entry[] {
    return (this.#sorted ??= [...this.#entries.values()].sort((a, b) => (a.key < b.key ? -1 : 1)));
  }

  #take({ type, revision, key, entry: sent }: SentEvent): StoredEvent {
    const entry = receivedEntry(sent);
    const previous = this.#entries.get(key);
    if (type === 'put') this.#entries.set(key, entry);
    else this.#entries.delete(key);
    this.#sorted = undefined;
    this.#revision = revision;
    return { type, revision, collection: this.collection, key, entry, previous };
  }
}
