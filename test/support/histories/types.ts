/**
 * Recorded histories: what clients asked and were told, and the truth, what the store itself went through. A recorder
 * (of a simulation, or of real replicas over HTTPS) fills a `History`; the validators of this folder hold it against
 * the promises of the API and against the truth.
 *
 * A history is of one etcd: revisions of several cannot be compared, so each has a history of its own.
 */
import type { JsonObject } from '../../../src/base/json.ts';
import type { CollectionId, Freshness, ObjectKey, Revision } from '../../../src/storage/types.ts';

export type { CollectionId, Freshness, ObjectKey, Revision };

/** A point of the one logical clock of a history; no two alike. Taken before a request is sent and after its answer. */
export type Point = number;

export type Labels = Readonly<Record<string, string>>;

/** One state of one object, as somebody saw it. */
export interface State {
  readonly key: ObjectKey;
  /** The resource version of the object. */
  readonly version: Revision;
  /** What tells this written content from any other; each write of a history writes a value of its own. */
  readonly value: string;
  readonly labels?: Labels;
  readonly uid?: string;
}

/** What a list or watch is about: objects of a collection below a prefix whose labels have all these values. */
export interface Filter {
  /** '' for all, `<namespace>/` for a namespace, a whole key with `exactKey`. */
  readonly prefix: string;
  readonly exactKey?: boolean;
  readonly labels?: Labels;
}

/** What all requests have in common. */
export interface Asked {
  /** Unique in the history; for words, and for watches that continue others. */
  readonly id: string;
  readonly client: string;
  /** Who answered: one process in one of its lives, since a restart loads a view anew. '' when it is not known. */
  readonly replica: string;
  readonly collection: CollectionId;
  readonly call: Point;
}

/** Why a read has no result. */
export type ReadError =
  /** 410: history is compacted, or of another past. */
  | 'expired'
  /** 504: the version is not there yet. */
  | 'tooLarge'
  /** Anything that says "later", or no answer at all. */
  | 'unavailable';

export interface GetRecord extends Asked {
  readonly end: Point;
  readonly key: ObjectKey;
  readonly freshness: Freshness;
  readonly answer: { readonly found: State | undefined } | { readonly error: ReadError };
}

/** One answer of a list: the whole, or a chunk of it. */
export interface Page {
  readonly call: Point;
  readonly end: Point;
  readonly version: Revision;
  readonly items: readonly State[];
  /** There are more items. */
  readonly continues: boolean;
}

/** A list with all of the chunks that the client asked for. */
export interface ListRecord extends Asked {
  readonly filter: Filter;
  /** Of the first page; the others are exactly at its version. */
  readonly freshness: Freshness;
  /** In the order of the requests. */
  readonly pages: readonly Page[];
  /** How the last request failed; absent when it was answered. */
  readonly error?: ReadError;
}

/** Why a write was refused; it must have had no effect. */
export type Refusal =
  /** A creation: there is such an object. */
  | 'exists'
  /** An update or deletion: there is none. */
  | 'notFound'
  /** The object is not at the expected version. */
  | 'conflict'
  /** By admission: a quota is used up. */
  | 'quota'
  /** Validation, admission, claims, limits. */
  | 'invalid'
  /** "Later": the server says that nothing happened (429, 503 before the body was read). */
  | 'later';

export type WriteOutcome =
  /** `version` of the object that the write left, of a removal that of the last state if it is known. */
  | { readonly kind: 'done'; readonly version: Revision | undefined }
  | { readonly kind: 'refused'; readonly reason: Refusal; readonly current?: Revision }
  /** No answer, or one that says nothing: it took effect once at most, and at any time after the call. */
  | { readonly kind: 'unknown' };

export interface WriteRecord extends Asked {
  /** When the outcome was told; undefined for `unknown`. */
  readonly end: Point | undefined;
  readonly verb: 'create' | 'update' | 'delete';
  readonly key: ObjectKey;
  /** What it wrote, unique in the history; '' for a deletion. */
  readonly value: string;
  /** Only if the object was at this version. */
  readonly expected?: Revision;
  /** A deletion only marks the object (`deletionTimestamp`), since it has finalizers. */
  readonly isMark?: boolean;
  readonly outcome: WriteOutcome;
}

export type WatchStartRecord =
  /** Changes after a version. */
  | { readonly kind: 'after'; readonly version: Revision }
  /** A state first (`initial`), then changes after it. */
  | { readonly kind: 'state'; readonly freshness: Freshness };

/** The synthetic events at the start of a watch. */
export interface InitialState {
  /** When all of it was there. */
  readonly at: Point;
  /** The version of the state, if it was told. */
  readonly version: Revision | undefined;
  readonly items: readonly State[];
}

export type WatchedEvent =
  | ({ readonly at: Point; readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' } & State)
  | { readonly at: Point; readonly type: 'BOOKMARK'; readonly version: Revision };

export type WatchEnding =
  /** By the client, or the history ended before the watch. */
  | 'closed'
  /** By the server in good order: its time was up, or it stops. */
  | 'ended'
  /** The connection broke. */
  | 'broken'
  /** 410, in the head or as an ERROR event. */
  | 'expired'
  /** Another refusal or ERROR event. */
  | 'failed';

export interface WatchRecord extends Asked {
  readonly filter: Filter;
  readonly start: WatchStartRecord;
  /** The client asked for bookmarks. */
  readonly bookmarks: boolean;
  /** Absent for `after`, and for a watch that ended before its state was complete. */
  readonly initial?: InitialState;
  /** Changes and bookmarks after the initial state, as they came. */
  readonly events: readonly WatchedEvent[];
  readonly ending: { readonly at: Point; readonly reason: WatchEnding };
  /** The watch that this one resumes, by the same client with the same filter, after the last version that it told. */
  readonly continues?: string;
}

/** All that clients saw. */
export interface History {
  readonly gets: readonly GetRecord[];
  readonly lists: readonly ListRecord[];
  readonly writes: readonly WriteRecord[];
  readonly watches: readonly WatchRecord[];
}

/** A change of one object. */
export interface Change {
  readonly collection: CollectionId;
  readonly key: ObjectKey;
  /** The new state; undefined: the object is removed. */
  readonly put: StoredState | undefined;
}

export interface StoredState {
  readonly value: string;
  readonly labels?: Labels;
  readonly uid?: string;
  /** The whole object, for the invariants of quotas, addresses, finalizers and garbage collection. */
  readonly object?: JsonObject;
}

/** What one transaction of etcd did to objects. */
export interface Commit {
  readonly revision: Revision;
  /** When, in milliseconds of a simulated world. */
  readonly at?: number;
  readonly changes: readonly Change[];
}

/** One line of an etcd's history, from its first revision; a restored or replaced etcd begins another. */
export interface Past {
  /** Since when clients could see it: -Infinity for the first. */
  readonly from: Point;
  /**
   * The revision that it began with, 0 for the first: nobody who is told its newest state is told an older one. It may be
   * less than revisions of the past before.
   */
  readonly base: Revision;
  /**
   * etcd was restored as documented: no key, and no state that can be read, is at a revision of the pasts before. So
   * every version tells its past; otherwise somebody who kept one of the past before may be told what this one has there.
   */
  readonly isRaised?: boolean;
  /** In the order of revisions; also those before `from` that a restored past has in common with others. */
  readonly commits: readonly Commit[];
  /** etcd's revision at the end of the past: at least that of the last commit. */
  readonly head: Revision;
  /** The revision before which nothing can be read at the end of the past; 0: nothing was compacted. */
  readonly compacted: Revision;
}

export interface Truth {
  /** In the order of time; at least one. */
  readonly pasts: readonly Past[];
}

/** Holds a history against one promise: violations in words that name the records, a bounded number of them. */
export type Validator = (history: History, truth: Truth) => string[];
