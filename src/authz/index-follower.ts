/**
 * Keeps an index in step with a collection of the replica's watch cache. While the watch restarts, the last known state
 * still counts.
 */
import type { Environment } from '../base/environment.ts';
import { Slice, turnFor } from '../base/cooperate.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { messageOf } from '../base/errors.ts';
import { followCollection, type CollectionListener } from '../storage/follow-collection.ts';
import type {
  CollectionId,
  CollectionSnapshot,
  Entry,
  Lifetime,
  ObjectKey,
  Storage,
  StorageError,
  StoredEvent,
} from '../storage/types.ts';
import { EventBacklog } from './event-backlog.ts';

/** Larger objects are read in slices. */
const largeBytes = 16 * 1024;

/** What an index holds of one collection. */
export interface FollowedIndex {
  keys(): Iterable<ObjectKey>;
  /** `isChange`: the object was there before. @throws Error for an object that cannot be read */
  put(entry: Entry, isChange: boolean): void;
  /**
   * Reads a large object in slices; what it gives puts it into the index in a short step. Absent: `put` is short.
   * @throws Error for an object that cannot be read
   */
  readonly prepare?: (entry: Entry, isChange: boolean) => Promise<() => void>;
  remove(key: ObjectKey): void;
}

export interface FollowOptions extends Environment {
  readonly storage: Pick<Storage, 'watch'>;
  readonly collection: CollectionId;
  readonly signal: AbortSignal;
  readonly warn: (details: object, message: string) => void;
}

export interface Following {
  /** Resolves when the index holds the state for the first time. */
  readonly loaded: Promise<undefined>;
  /** Resolves when the index holds every change that the watch has told so far, or the lifetime is over. */
  applied(lifetime: Lifetime): Promise<void>;
}

/** Follows until the signal is aborted. */
export function followIntoIndex(index: FollowedIndex, options: FollowOptions): Following {
  const follower = new IndexFollower(index, options);
  followCollection(options, options.collection, follower, options.signal);
  return follower;
}

class IndexFollower implements CollectionListener, Following {
  private readonly index: FollowedIndex;
  private readonly backlog: EventBacklog;
  private readonly options: FollowOptions;
  private readonly whenLoaded = Promise.withResolvers<undefined>();

  constructor(index: FollowedIndex, options: FollowOptions) {
    this.index = index;
    this.options = options;
    this.backlog = new EventBacklog({
      put: (entry, isUpdate) => {
        this.put(entry, isUpdate);
      },
      prepare: (entry, isUpdate) => this.prepare(entry, isUpdate),
      remove: (key) => {
        index.remove(key);
      },
    });
  }

  get loaded(): Promise<undefined> {
    return this.whenLoaded.promise;
  }

  applied(lifetime: Lifetime): Promise<void> {
    return this.backlog.applied(lifetime);
  }

  async onState(snapshot: CollectionSnapshot): Promise<void> {
    this.backlog.clear();
    const slice = new Slice();
    for (const key of [...this.index.keys()]) {
      if (!snapshot.get(key)) this.index.remove(key);
      if (slice.shouldYield()) await slice.yieldNow();
    }
    for (const entry of snapshot.entries('', '')) {
      await turnFor(lengthOf(entry));
      (await this.prepare(entry, false))();
      if (slice.shouldYield()) await slice.yieldNow();
    }
    this.whenLoaded.resolve(undefined);
  }

  onEvents(events: readonly StoredEvent[]): void {
    for (const { type, entry, key, previous } of events) {
      if (type === 'put') this.backlog.put(entry, previous !== undefined);
      else this.backlog.remove(key);
    }
  }

  onBreak(reason: StorageError): void {
    const { collection, warn } = this.options;
    const details = { resource: resourceOf(collection), problem: messageOf(reason) };
    warn(details, 'a watch of authorization ended and restarts');
  }

  /** What puts an object into the index, which a large one is read for in slices. Does not throw. */
  private prepare(entry: Entry, isChange: boolean): MaybePromise<() => void> {
    if (!this.index.prepare || lengthOf(entry) <= largeBytes)
      return () => {
        this.put(entry, isChange);
      };
    return this.index.prepare(entry, isChange).catch((error: unknown) => () => {
      this.refuse(entry, error);
    });
  }

  /** An object that cannot be read (another writer stored it) grants nothing and does not affect the others. */
  private put(entry: Entry, isChange: boolean): void {
    try {
      this.index.put(entry, isChange);
    } catch (error) {
      this.refuse(entry, error);
    }
  }

  private refuse({ key }: Entry, error: unknown): void {
    const { collection, warn } = this.options;
    this.index.remove(key);
    const details = { resource: resourceOf(collection), key, problem: messageOf(error) };
    warn(details, 'authorization cannot read an object');
  }
}

/** The bytes of a packed entry are made whenever they are asked for. */
function lengthOf(entry: Entry): number {
  return entry.size ?? entry.bytes.length;
}

function resourceOf(collection: CollectionId): string {
  return collection.slice(collection.indexOf('/') + 1);
}
