/** Messages between the serving thread and write threads: plain data, bytes in separate memory. */
import type { MessagePort } from 'node:worker_threads';
import type { JsonValue } from '../base/json.ts';
import type { Status } from '../meta/status.ts';
import type { MetricSnapshot } from '../observe/metric-snapshot.ts';
import type { AnnotationLevel } from '../registry/types.ts';
import type { FormOrder } from '../http/representation/large-forms.ts';
import type { WriteRequest } from '../http/writes/write-request.ts';
import type {
  ClaimKey,
  Claims,
  CollectionId,
  Condition,
  Freshness,
  ObjectKey,
  Revision,
  StorageErrorCode,
} from '../storage/types.ts';
import type { CompletedConfig } from '../options/complete-config.ts';
import type { Credentials } from '../options/credentials.ts';

/** The start data of a write thread. */
export interface ThreadOrder {
  readonly config: CompletedConfig;
  readonly credentials: Credentials;
  /** File descriptor of the log; absent: standard error. */
  readonly logFd: number | undefined;
  /** Channel of blocking calls, and the shared word that wakes the thread. */
  readonly blockingPort: MessagePort;
  readonly wake: Int32Array<SharedArrayBuffer>;
}

export type Bytes = Uint8Array<ArrayBuffer>;

/** Entries in key order; not the last ones if more have to be asked for. */
export interface SentPage {
  readonly entries: readonly SentEntry[];
  readonly isLast: boolean;
}

export interface SentEntry {
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  readonly modRevision: Revision;
  /** Large ones are in memory that both threads have. Compressed where the entry rests. */
  readonly bytes: Uint8Array;
  /** What else there is to know of a text that rests. */
  readonly resting?: { readonly opening: Uint8Array; readonly versionAt: number; readonly size: number };
  readonly isRecoded: boolean;
  readonly mark: number;
}

export interface SentReceipt {
  readonly revision: Revision;
  readonly mark: number | undefined;
  readonly bytes: Bytes | undefined;
}

export interface SentEvent {
  readonly type: 'put' | 'delete';
  readonly revision: Revision;
  readonly key: ObjectKey;
  readonly entry: SentEntry;
}

export type SentError =
  | { readonly kind: 'status'; readonly status: Status; readonly cause: string | undefined }
  | {
      readonly kind: 'storage';
      readonly code: StorageErrorCode;
      readonly message: string;
      readonly key: string;
      readonly revision: Revision;
      readonly current: SentEntry | undefined;
      readonly taken: readonly ClaimKey[];
    }
  | { readonly kind: 'other'; readonly name: string; readonly message: string; readonly stack: string };

export type SentAnswer =
  | { readonly kind: 'entry'; readonly entry: SentEntry; readonly created: boolean }
  | { readonly kind: 'deleted'; readonly entry: SentEntry; readonly removed: boolean }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'form'; readonly bytes: Bytes };

export type SentWrite = Omit<WriteRequest, 'body'> & { readonly body: Bytes };

/** Asynchronous calls to the storage and their results. */
export interface StorageCalls {
  get(collection: CollectionId, key: ObjectKey, freshness: Freshness): SentEntry | undefined;
  /** The revision of a state with the requested freshness. */
  snapshot(collection: CollectionId, freshness: Freshness): Revision;
  create(
    collection: CollectionId,
    key: ObjectKey,
    bytes: Bytes,
    condition: Condition | undefined,
    claims: Claims | undefined,
  ): SentReceipt;
  update(
    collection: CollectionId,
    key: ObjectKey,
    bytes: Bytes,
    expected: Revision,
    claims: Claims | undefined,
  ): SentReceipt;
  delete(
    collection: CollectionId,
    key: ObjectKey,
    expected: Revision,
    claims: Claims | undefined,
  ): SentReceipt;
  health(): { etcd: string; follower: string };
  /** Checks that the user of a job may create. */
  assertMayCreate(job: number): undefined;
}

/** Blocking calls. */
export interface BlockingCalls {
  peek(collection: CollectionId, key: ObjectKey): SentEntry | undefined;
  page(collection: CollectionId, prefix: string, after: ObjectKey, limit: number): readonly SentEntry[];
  count(collection: CollectionId, prefix: string, after: ObjectKey): number;
  size(collection: CollectionId): number;
  /** As `unreadableIn` of a snapshot. */
  unreadable(collection: CollectionId, prefix: string): SentError | undefined;
  /** The same number as long as the collection does not change. */
  state(collection: CollectionId): number;
  revision(collection: CollectionId | undefined): Revision;
}

export type CallOf<Calls> = {
  [Method in keyof Calls]: Calls[Method] extends (...args: infer Args) => unknown
    ? { readonly method: Method; readonly args: Args }
    : never;
}[keyof Calls];

export type Outcome = { readonly value: unknown } | { readonly error: SentError };

/** Numbered, so that a late response is not taken for that of the next call. */
export interface BlockingQuestion {
  readonly question: number;
  readonly request: CallOf<BlockingCalls>;
}

export interface BlockingAnswer {
  readonly question: number;
  readonly outcome: Outcome;
}

export type ToThread =
  | { readonly kind: 'perform'; readonly job: number; readonly write: SentWrite }
  /** The form of an entry. */
  | {
      readonly kind: 'make';
      readonly job: number;
      readonly order: FormOrder;
      readonly entry: SentEntry;
    }
  | { readonly kind: 'cancel'; readonly job: number }
  /** The job that came back has a place. */
  | { readonly kind: 'goOn'; readonly job: number }
  | { readonly kind: 'answer'; readonly call: number; readonly outcome: Outcome }
  /** A part of a collection's state. */
  | {
      readonly kind: 'state';
      readonly watch: number;
      readonly entries: readonly SentEntry[];
      readonly revision: Revision;
      readonly isLast: boolean;
      /** What a list of the whole collection fails with; in the last part. */
      readonly unreadable?: SentError | undefined;
    }
  | { readonly kind: 'events'; readonly watch: number; readonly events: readonly SentEvent[] }
  | { readonly kind: 'watchEnd'; readonly watch: number; readonly error: SentError }
  | { readonly kind: 'credentials'; readonly credentials: Credentials }
  | { readonly kind: 'scrape'; readonly id: number }
  | { readonly kind: 'ping' }
  /** There is nothing to do for now. */
  | { readonly kind: 'rest' };

export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'pong' }
  | {
      readonly kind: 'call';
      readonly call: number;
      readonly job: number | undefined;
      readonly request: CallOf<StorageCalls>;
    }
  | { readonly kind: 'watch'; readonly watch: number; readonly collection: CollectionId }
  | { readonly kind: 'unwatch'; readonly watch: number }
  | { readonly kind: 'done'; readonly job: number; readonly answer: SentAnswer }
  | { readonly kind: 'failed'; readonly job: number; readonly error: SentError }
  /** It waits for what it has no part in, and asks for a place when that is over. */
  | { readonly kind: 'pause' | 'resume'; readonly job: number }
  | { readonly kind: 'warn'; readonly job: number; readonly text: string }
  | {
      readonly kind: 'annotate';
      readonly job: number;
      readonly key: string;
      readonly value: string;
      readonly level: AnnotationLevel | undefined;
    }
  | {
      readonly kind: 'metrics';
      readonly id: number;
      /** Too many series for one message come in several parts. */
      readonly part: MetricSnapshot;
      readonly isLast: boolean;
    };
