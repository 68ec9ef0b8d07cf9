/** Options, timeouts and limits of the storage. */
import type { EncryptionRule } from './encryption/rules.ts';
import type { CollectionId } from './types.ts';
import type { MessagePort } from 'node:worker_threads';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { ConnectLine } from './etcd/etcd-line.ts';

/**
 * Converts a value of etcd to the current storage form; undefined if it has that form already. `isOwn`: this service
 * wrote it, not another program. Throws DecodeError if the value is no object, other errors if it can be kept as it is.
 */
export interface Recode {
  (collection: CollectionId, value: Buffer, isOwn: boolean): Buffer | undefined;
  /** The same in steps, for large values. Absent: none takes long. */
  readonly inSteps?: (
    collection: CollectionId,
    value: Buffer,
    isOwn: boolean,
  ) => Generator<void, Buffer | undefined, void>;
}

/** The logger of the storage. */
export interface StorageLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Which etcd a member runs. */
export interface MemberRelease {
  /** Such as `3.5.30`. */
  readonly version: string;
  /** Number of known defects by which it loses events or data. */
  readonly knownDefects: number;
  /** The version that it ran before; absent if unknown. */
  readonly former?: string;
}

/** Metrics that are observed as they occur; totals are in `EtcdStorage.stats()`. */
export interface StorageMetrics {
  /**
   * A call to etcd; every retry counts. `operation` is create, update, delete, get or list of objects of a collection,
   * or range, txn, put, compact, lease, probe or check.
   */
  observeEtcdRequest(
    operation: string,
    seconds: number,
    ok: boolean,
    collection: CollectionId | undefined,
  ): void;
  /** Time until the view reached the revision of a quorum probe. */
  observeReadWait?(seconds: number): void;
  /** This replica compacted the history. */
  observeCompaction?(): void;
  /**
   * A value was encrypted (`to_storage`) or decrypted (`from_storage`), or could not be. `prefix`: the first words of
   * the values of its provider, `identity` or `unknown`.
   */
  observeTransformation?(
    type: 'from_storage' | 'to_storage',
    prefix: string,
    seconds: number,
    isDone: boolean,
  ): void;
  /** A KMS plugin was asked for a data key that was not cached. */
  observeKeyCacheMiss?(): void;
  /** A value of etcd cannot be read. */
  observeUnreadable?(collection: CollectionId): void;
  /**
   * The view was compared with etcd: it is the same (`success`), differs (`failure`), or could not be compared
   * (`error`).
   */
  observeConsistencyCheck?(status: 'success' | 'failure' | 'error', seconds: number): void;
  /** A collection of the view differed from etcd. */
  observeInconsistency?(collection: CollectionId): void;
  /** A lease takes no more objects, because its window is over or it is full. */
  observeLeaseObjects?(objects: number): void;
  /** Database size of a member in bytes. */
  observeDatabaseSize?(endpoint: string, bytes: number): void;
  /** A member runs this release of etcd, with so many known defects; `former`: another one, before. */
  observeRelease?(endpoint: string, release: MemberRelease): void;
}

/** TLS credentials for etcd, PEM. Without `cert` and `key` there is no client certificate. */
export interface EtcdTls {
  readonly ca: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** HTTP/2 implementations of the etcd client (`--etcd-transport`). */
export const transportNames = ['builtin', 'node'] as const;
export type TransportName = (typeof transportNames)[number];

/** Timeouts and intervals in milliseconds. */
export interface StorageTimes {
  /** One attempt of one call, one endpoint. */
  readonly attempt: number;
  /** One operation with all its attempts. */
  readonly operation: number;
  /** Timeout of a read for a future revision. */
  readonly futureRevision: number;
  /** How long the view may lag behind a probed revision before a fence key is written. */
  readonly fenceAfter: number;
  /** How often spare fence keys, which are used up while etcd is full, are filled up; 0: never. */
  readonly spareFences: number;
  /** How long the event of a fence may take before the stream is considered dead. */
  readonly deadStream: number;
  /** Minimum and maximum backoff between attempts to follow etcd. */
  readonly reconnectFirst: number;
  readonly reconnectMax: number;
  /** Interval of progress notifications to idle watches, and of age limits. */
  readonly tick: number;
}

/** Limits of the history in memory. */
export interface StorageLimits {
  /** Maximum recent events of a collection. */
  readonly ringEvents: number;
  /** Maximum bytes of recent events of all collections. */
  readonly ringBytes: number;
  /** Maximum age of recent events and earlier list states. */
  readonly maxAgeMs: number;
  /** Maximum earlier list states of a collection. */
  readonly maxPastStates: number;
  /** Maximum bytes that the earlier list states of a collection may retain. */
  readonly maxPastStateBytes: number;
  /** Maximum concurrent replays from the etcd history. */
  readonly replays: number;
}

/** How values are encrypted in etcd. */
export interface EncryptionOptions {
  /** The first word of encrypted values, that of the naming profile. */
  readonly word: string;
  /** undefined if nothing is encrypted. */
  readonly rules: readonly EncryptionRule[] | undefined;
  /**
   * In milliseconds: intervals of probes of KMS plugins (absent: a minute, and 3 s while one does not answer), and how long
   * a key of v2 is used that its plugin does not confirm (absent: three minutes).
   */
  readonly kmsTimes?: { readonly healthyMs: number; readonly unhealthyMs: number; readonly seedMs?: number };
}

/** Objects that etcd deletes some time after their last write. */
export interface ExpiryOptions {
  readonly collections: ReadonlySet<CollectionId>;
  readonly ttlSeconds: number;
  /** Maximum time in seconds during which writes share a lease. */
  readonly leaseReuseSeconds: number;
}

export interface StorageOptions {
  /** URLs of etcd members: `http://host:port`, `https://host:port` for all, or `unix://localhost/path`. */
  readonly endpoints: readonly string[];
  /** File with the URL of the only member, which may change; read before each connection. Absent if it does not. */
  readonly addressFile?: string;
  readonly tls?: EtcdTls;
  /** Default `builtin`. */
  readonly transport?: TransportName;
  readonly username?: string;
  readonly password?: string;
  /** Prefix of all keys; default `/registry`. */
  readonly prefix?: string;
  readonly logger: StorageLogger;
  readonly metrics: StorageMetrics;
  /** Default: that of the machine. */
  readonly clock?: Clock;
  readonly random?: Random;
  /** Other connections than those of gRPC: of an etcd in memory. */
  readonly connectLine?: ConnectLine;
  /** Interval of compactions and retention of history; default five minutes, 0 disables compaction. */
  readonly compactionIntervalMs?: number;
  /** Longest time between two comparisons of the view with etcd; default five minutes, 0 disables them. */
  readonly consistencyCheckIntervalMs?: number;
  /** Polling interval of the database sizes; default 30 s, 0 disables it. */
  readonly databaseSizeIntervalMs?: number;
  readonly times?: Partial<StorageTimes>;
  readonly limits?: Partial<StorageLimits>;
  /** Absent if no objects expire. */
  readonly expiry?: ExpiryOptions;
  /** Absent if nothing is encrypted, and encrypted values are not told from others. */
  readonly encryption?: EncryptionOptions;
  /** Absent if all values have the current storage form. */
  readonly recode?: Recode;
  /**
   * What the items of lists of a collection lack behind their opening brace; undefined if its values are no objects. Texts of
   * collections with a head lie in memory as lists send them, from the load on. Absent: only once lists have sent them.
   */
  readonly itemHead?: (collection: CollectionId) => Buffer | undefined;
  /** From the storage of another thread, which follows etcd for this one (`feed/`). */
  readonly feed?: MessagePort;
}

export const defaultTimes: StorageTimes = {
  attempt: 3_000,
  operation: 10_000,
  futureRevision: 3_000,
  fenceAfter: 250,
  spareFences: 30_000,
  deadStream: 2_000,
  reconnectFirst: 50,
  reconnectMax: 2_000,
  tick: 1_000,
};

export const defaultLimits: StorageLimits = {
  ringEvents: 20_000,
  ringBytes: 64 * 1024 * 1024,
  maxAgeMs: 5 * 60_000,
  maxPastStates: 64,
  maxPastStateBytes: 32 * 1024 * 1024,
  replays: 8,
};

export const defaultCompactionIntervalMs = 5 * 60_000;
export const defaultConsistencyCheckIntervalMs = 5 * 60_000;
export const defaultDatabaseSizeIntervalMs = 30_000;
