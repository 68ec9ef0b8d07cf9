/**
 * The interface of the storage. Revisions are etcd mod revisions as safe integers (2^53 writes are out of reach);
 * above `registry` they are opaque resource versions.
 */
import type { Pack } from '../codec/pack.ts';

export type Revision = number;

/** A collection of objects of one resource: two key segments, `<group or "core">/<plural>`. */
export type CollectionId = string;

/** The key of an object in its collection: `<namespace>/<name>` or `<name>`. */
export type ObjectKey = string;

/** A text that is kept compressed, because nobody reads it. */
export interface TextAtRest {
  /** Raw DEFLATE. */
  readonly packed: Buffer;
  /** How the text begins, up to and with the byte at `versionAt`. */
  readonly opening: Buffer;
  readonly versionAt: number;
  /** Bytes of the whole text. */
  readonly size: number;
}

/**
 * One stored revision of one object. Immutable; what is derived from the bytes is cached in `memo` and dropped with
 * it.
 */
export interface Entry {
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  readonly modRevision: Revision;
  /** The stored JSON text, without resourceVersion; created on each access if it is packed. */
  readonly bytes: Buffer;
  /** Length of the bytes, if known without creating them. */
  readonly size?: number;
  /** etcd still has it in an older form, which the next write replaces. Absent if etcd has these bytes. */
  readonly isRecoded?: boolean;
  /**
   * Mark of the write: entries of one key at one revision with equal marks have equal text. 0 or absent if unknown.
   */
  readonly mark?: number;
  /** For the codec: where the resource version is inserted. 0 or absent if not determined yet. */
  versionAt?: number;
  /** For the codec: a list has contained it. */
  isListed?: boolean;
  /** Where the text lies as an item with its resource version, once it was packed with other entries. */
  readonly pack?: Pack | undefined;
  /** Its index there. */
  readonly packedAt?: number;
  /** Keeps the text as it lies in that pack, instead of the bytes. Absent if it is not kept. */
  keepItem?(pack: Pack, index: number): void;
  /** It is no longer part of the current state of its collection. */
  readonly isPassed?: boolean;
  /** The text in memory that other threads may have, too, if it is large enough and not kept as an item. */
  shared?(): Buffer | undefined;
  /** How the text begins, if it rests: enough of it for lengths of lists and for where the resource version stands. */
  readonly opening?: Buffer | undefined;
  /** The same of a text that rests: its compressed form. */
  atRest?(): TextAtRest | undefined;
  /**
   * Called when it leaves the current state: events and earlier states may retain it, and it then retains its own text
   * and others of that time.
   */
  pass?(): void;
  /** This object was made for its reader: what is noted in `memo` keeps it in memory. */
  readonly isFleeting?: boolean;
  /** Representations and parsed forms by a caller's own symbol or string; see `memoized`. */
  memo: Map<unknown, unknown> | undefined;
}

/** An attribute with at most one value per entry: a label or a field. */
export interface Attribute {
  /** Equal for attributes with equal values. */
  readonly id: string;
  readonly read: (entry: Entry) => string | undefined;
  /** Whether the text is so large that `read` may take a long step, always the same of a text. Absent: none is. */
  readonly isLarge?: (entry: Entry) => boolean;
}

/** An immutable state of one collection at one revision. */
export interface CollectionSnapshot {
  readonly collection: CollectionId;
  readonly revision: Revision;
  /** Name of the past of etcd in which it has that revision (`past-name.ts`); absent if that is not known. */
  readonly past?: string | undefined;
  readonly size: number;
  /** The same object as long as the collection does not change: what is read out of all of it may be kept by this. */
  readonly contents: object;
  get(key: ObjectKey): Entry | undefined;
  /**
   * The error of a list of the keys that start with `prefix`: some objects are missing, because they cannot be
   * decrypted. undefined, or absent, if none is.
   */
  unreadableIn?(prefix: string): StorageError | undefined;
  /** Entries in key order whose key starts with `prefix` and is greater than `after` ('' for all). */
  entries(prefix: string, after: ObjectKey): Iterable<Entry>;
  /** The first `limit` of these. */
  page(prefix: string, after: ObjectKey, limit: number): readonly Entry[];
  /** Number of keys that start with `prefix` and are greater than `after`. */
  count(prefix: string, after: ObjectKey): number;
  /**
   * Keys of the entries whose attribute has one of the values, and of all that are large for it, unordered; undefined if
   * there is no index. They may be more than can be sorted in a step.
   */
  having(attribute: Attribute, values: ReadonlySet<string>): readonly ObjectKey[] | undefined;
}

/** Freshness of a read (Kubernetes API Concepts, "Resource versions"). */
export type Freshness =
  | { readonly kind: 'mostRecent' }
  | { readonly kind: 'any' }
  | { readonly kind: 'notOlderThan'; readonly revision: Revision }
  | ExactFreshness;

/** The state at a revision. */
export interface ExactFreshness {
  readonly kind: 'exact';
  readonly revision: Revision;
  /** The revision is one of this past of etcd, as a snapshot told it; absent: of the one that is followed now. */
  readonly past?: string | undefined;
  /** The caller reads only keys with this prefix, '' or one that ends with a slash: no others need to be read from etcd. */
  readonly within?: string;
  /** Who asks: states that have to be read from etcd are read for all of them in turn. */
  readonly flow?: string;
}

export interface StoredEvent {
  readonly type: 'put' | 'delete';
  readonly revision: Revision;
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  /** The state after a put; for a delete the last state, with `modRevision` = the revision of the delete. */
  readonly entry: Entry;
  /** The previous state; undefined for a creation. */
  readonly previous: Entry | undefined;
}

/** Start of a watch (Kubernetes API Concepts, "Semantics for watch"). */
export type WatchStart =
  | { readonly kind: 'after'; readonly revision: Revision }
  /** State of the collection first (delivered through `onInitial`), then changes after it. */
  | { readonly kind: 'stateThenChanges'; readonly freshness: Freshness };

/** Receives the events of a watch, in revision order, each exactly once. Callbacks must neither throw nor block. */
export interface WatchSubscriber {
  /** Called once, first, when the start is established; a rejected start gets only `onEnd`. */
  onEstablished(): void;
  /** Only for `stateThenChanges`, once, before any event. */
  onInitial(snapshot: CollectionSnapshot): void;
  onEvents(events: readonly StoredEvent[]): void;
  /** All changes up to `revision` are delivered (for bookmarks). Called at least every few seconds while idle. */
  onProgress(revision: Revision): void;
  /** The watch ended: history lost (`compacted`), view reloaded, or the storage stops. */
  onEnd(reason: StorageError): void;
  /** Resolves when the subscriber accepts more; awaited between slices of replayed history. */
  ready(): Promise<void>;
}

export interface WatchHandle {
  /** Stops delivery immediately; idempotent. */
  close(): void;
}

export interface WatchOptions {
  readonly collection: CollectionId;
  /** Key prefix: '' for all, `<namespace>/` for a namespace, or a complete key with `exactKey`. */
  readonly prefix: string;
  readonly exactKey?: boolean;
  readonly start: WatchStart;
  /** It lists again when its history is lost: it may end so where telling it all changes would take longer. */
  readonly relists?: boolean;
  readonly signal: AbortSignal;
}

/** A precondition: an object that must be at a revision when the write takes effect. */
export interface Condition {
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  readonly revision: Revision;
}

/** The first segment of collections of claimed keys: etcd compares their values, so they are never encrypted. */
export const claimedGroup = 'ranges';

/** First segment of the collections of keys that processes announce (`announcement.ts`). They are never encrypted. */
export const announcedGroup = 'announced';

/** A key that at most one object holds, such as an address. */
export interface ClaimKey {
  readonly collection: CollectionId;
  readonly key: ObjectKey;
}

/**
 * Keys that an object takes and gives back in the transaction of its own write, so that two objects never hold the
 * same one, and none is held by an object that was not written.
 */
export interface Claims {
  /** Who holds them: JSON text that is stored as the value of each key. A key of another holder is not released. */
  readonly holder: string;
  readonly take: readonly ClaimKey[];
  readonly release: readonly ClaimKey[];
}

/** Most keys that a write takes, and most that it releases: etcd bounds transactions (`--max-txn-ops`). */
export const maxClaims = 1_000;

export interface WriteReceipt {
  readonly revision: Revision;
  /** The mark of the current entry. */
  readonly mark?: number;
  /** The stored bytes, if they differ from the given ones. */
  readonly bytes?: Buffer;
}

/** Whether the result is still needed: the part of `AbortSignal` that short operations use. */
export interface Lifetime {
  readonly aborted: boolean;
  readonly reason: unknown;
}

/** Guarded writes: each is one transaction. */
export interface StorageWrites {
  /** @throws StorageError `exists`, or `conditionFailed` if the precondition is not met */
  create(
    collection: CollectionId,
    key: ObjectKey,
    bytes: Buffer,
    condition?: Condition,
  ): Promise<WriteReceipt>;
  /** Replaces the object if its mod revision is still `expected`. @throws StorageError `conflict` (with current) or `notFound` */
  update(collection: CollectionId, key: ObjectKey, bytes: Buffer, expected: Revision): Promise<WriteReceipt>;
  /** Removes the object if its mod revision is still `expected`. @throws StorageError `conflict` (with current) or `notFound` */
  delete(collection: CollectionId, key: ObjectKey, expected: Revision): Promise<WriteReceipt>;
}

/** The storage of the registry. */
export interface Storage extends StorageWrites {
  /**
   * Resolves with a snapshot that satisfies `freshness`. mostRecent is linearizable (a shared quorum probe); any is
   * the current view; notOlderThan waits for the view with a timeout; exact reads a cached state or etcd.
   * @throws StorageError `compacted`, `futureRevision`, `unavailable`
   */
  snapshot(collection: CollectionId, freshness: Freshness, lifetime: Lifetime): Promise<CollectionSnapshot>;
  /** An object with the requested freshness; undefined if it does not exist. @throws StorageError `unreadable` */
  get(
    collection: CollectionId,
    key: ObjectKey,
    freshness: Freshness,
    lifetime: Lifetime,
  ): Promise<Entry | undefined>;
  /** The object in the view, possibly stale, without waiting. */
  peek(collection: CollectionId, key: ObjectKey): Entry | undefined;
  /** The current state of the view, without waiting. */
  view(collection: CollectionId): CollectionSnapshot;
  /** The revision of the view, of that with the collection if there are several. */
  revision(collection?: CollectionId): Revision;

  /**
   * Writes that take and release keys in their own transaction.
   * @throws StorageError of their calls: also `claimTaken`, with the keys that another object holds
   */
  claiming(claims: Claims): StorageWrites;

  watch(options: WatchOptions, subscriber: WatchSubscriber): WatchHandle;

  /** Health of the storage by check: '' if healthy, otherwise the reason. */
  health(): Promise<{ etcd: string; follower: string }>;
}

export type StorageErrorCode =
  | 'exists'
  | 'notFound'
  | 'conflict'
  | 'conditionFailed'
  /** Another object holds a key that the write wanted to take. */
  | 'claimTaken'
  | 'compacted'
  | 'futureRevision'
  | 'unavailable'
  | 'timeout'
  /** Others are read or written first, and it would take too long; nothing was done. */
  | 'busy'
  | 'tooLarge'
  /** No key of the encryption configuration decrypts the stored value, or it is no object. */
  | 'unreadable'
  /** The value cannot be encrypted. */
  | 'unsealable'
  /** etcd's database is at its quota. */
  | 'noSpace'
  /** etcd's members hold different data. */
  | 'corrupt'
  | 'stopped'
  /** The one who watches threw; only that watch is over. */
  | 'watcherFailed';

export interface StorageErrorAbout {
  readonly key?: string;
  readonly revision?: Revision;
  readonly current?: Entry | undefined;
  readonly taken?: readonly ClaimKey[];
  readonly cause?: unknown;
}

/** Every error of `storage`; translated to a Status only in `registry/storage-errors.ts`. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;
  readonly key: string;
  /** The revision of the error: the oldest available for `compacted`, the current for `futureRevision`. */
  readonly revision: Revision;
  /** For `conflict`: the current object. */
  readonly current: Entry | undefined;
  /** For `claimTaken`: the keys that another object holds. */
  readonly taken: readonly ClaimKey[];

  constructor(code: StorageErrorCode, message: string, about: StorageErrorAbout = {}) {
    super(message, about.cause === undefined ? {} : { cause: about.cause });
    this.name = 'StorageError';
    this.code = code;
    this.key = about.key ?? '';
    this.revision = about.revision ?? 0;
    this.current = about.current;
    this.taken = about.taken ?? [];
  }
}
