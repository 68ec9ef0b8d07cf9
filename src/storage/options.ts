/** What the storage is built with, and the numbers that bound it. */
import type { CollectionId } from './types.ts';
import type { Clock } from '../base/clock.ts';

/**
 * Gives a value of etcd the form that it is stored in now, where it was written in another one; undefined when it has
 * that form already. Throws when it cannot be made sense of.
 */
export type Recode = (collection: CollectionId, value: Buffer) => Buffer | undefined;

/** The part of a structured logger that this room uses. */
export interface StorageLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Where figures go while they happen; totals are read from `EtcdStorage.stats()`. */
export interface StorageMetrics {
  /** One call to etcd: `operation` is range, txn, put, compact or probe; retries count each. */
  observeEtcdRequest(operation: string, seconds: number, ok: boolean): void;
  /** How long the view took to hold the revision that a quorum answered to a probe. */
  observeReadWait?(seconds: number): void;
  /** This replica compacted the history. */
  observeCompaction?(): void;
  /** Bytes of one member's database. */
  observeDatabaseSize?(endpoint: string, bytes: number): void;
}

/** Material for TLS to etcd, PEM. Without `cert` and `key` the client shows no certificate. */
export interface EtcdTls {
  readonly ca: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** What carries calls to etcd: the HTTP/2 of this service, or that of Node (`--etcd-transport`). */
export const transportNames = ['builtin', 'node'] as const;
export type TransportName = (typeof transportNames)[number];

/** Deadlines and periods, in milliseconds. */
export interface StorageTimes {
  /** One attempt of one call, one endpoint. */
  readonly attempt: number;
  /** One operation with all its attempts. */
  readonly operation: number;
  /** How long a read waits for a revision that does not exist yet. */
  readonly futureRevision: number;
  /** How long the view may lag a probed revision before a fence key asks why. */
  readonly fenceAfter: number;
  /** How long the fence's event may take before the stream counts as dead. */
  readonly deadStream: number;
  /** First and longest pause between attempts to follow etcd again. */
  readonly reconnectFirst: number;
  readonly reconnectMax: number;
  /** How often idle watchers hear how far they are, and bounds by age are applied. */
  readonly tick: number;
}

/** What is kept in memory beside the current state. */
export interface StorageLimits {
  /** Recent events of one collection. */
  readonly ringEvents: number;
  /** Bytes of recent events, all collections together. */
  readonly ringBytes: number;
  /** Age of recent events and of kept list states. */
  readonly keptMs: number;
  /** Earlier list states kept per collection. */
  readonly keptStates: number;
  /** Bytes that earlier list states of one collection may hold back from the collector. */
  readonly keptBytes: number;
  /** Replays from etcd's own history at once. */
  readonly replays: number;
}

export interface StorageOptions {
  /** URLs of etcd's members: `http://host:port`, all `https://host:port`, or `unix://localhost/path` of a socket. */
  readonly endpoints: readonly string[];
  readonly tls?: EtcdTls;
  /** Default `builtin`. */
  readonly transport?: TransportName;
  readonly username?: string;
  readonly password?: string;
  /** Everything lives below this key; default `/registry`. */
  readonly prefix?: string;
  readonly logger: StorageLogger;
  readonly metrics: StorageMetrics;
  readonly clock?: Clock;
  /** Pause between compactions, and the age that history keeps; default five minutes, 0 never. */
  readonly compactionIntervalMs?: number;
  /** Pause between looks at the size of the members' databases; default 30 s, 0 never. */
  readonly databaseSizeIntervalMs?: number;
  readonly times?: Partial<StorageTimes>;
  readonly limits?: Partial<StorageLimits>;
  /** Absent: every value is in the form that it is written in. */
  readonly recode?: Recode;
}

export const defaultTimes: StorageTimes = {
  attempt: 3_000,
  operation: 10_000,
  futureRevision: 3_000,
  fenceAfter: 250,
  deadStream: 2_000,
  reconnectFirst: 50,
  reconnectMax: 2_000,
  tick: 1_000,
};

export const defaultLimits: StorageLimits = {
  ringEvents: 20_000,
  ringBytes: 64 * 1024 * 1024,
  keptMs: 5 * 60_000,
  keptStates: 64,
  keptBytes: 32 * 1024 * 1024,
  replays: 8,
};

export const defaultCompactionIntervalMs = 5 * 60_000;
export const defaultDatabaseSizeIntervalMs = 30_000;
