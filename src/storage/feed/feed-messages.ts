/** Messages between the storage that follows etcd and the storages of threads that it feeds. */
import type { FollowerState } from '../following.ts';
import type { Told } from '../newest.ts';
import type { LoadProgress } from '../state-load.ts';
import type { CollectionId, ObjectKey, Revision } from '../types.ts';
import type { ToldProblem } from './told-problem.ts';

/** Bits of what is told of an object. */
export const isDeletion = 1;
/** etcd has it in an older form. */
export const isInOldForm = 2;
/** The text is why it cannot be read. */
export const isUnreadable = 4;

/** An event of etcd. A text in shared memory is not copied. */
export type FedEvent = readonly [
  etcdKey: string,
  revision: Revision,
  mark: number,
  bits: number,
  text: Uint8Array | string,
  /** The name of the form that etcd has; only where values are encrypted. */
  form?: string,
];

/** An object of a state. */
export type FedObject = readonly [
  key: ObjectKey,
  revision: Revision,
  mark: number,
  bits: number,
  text: Uint8Array | string,
  /** As that of an event. */
  form?: string,
];

/** The forms in which etcd has objects, where values are encrypted. */
export interface FedForms {
  readonly names: readonly string[];
  /** The index of the name of each object. */
  readonly at: Uint16Array;
}

/** Objects of a state in the order of their keys, whose texts lie behind each other as the items of a list. */
export interface FedPack {
  /** Memory of `PackRows`, shared; of `rowCount` rows those from `rowFrom` on are meant. */
  readonly rows: Uint8Array;
  readonly rowCount: number;
  readonly rowFrom: number;
  readonly bits: Uint8Array;
  /** Where each item ends; the next one begins behind a comma. */
  readonly ends: Uint32Array;
  /** What the items lack behind their opening brace. */
  readonly head: Uint8Array;
  /** Shared. */
  readonly items: Uint8Array;
  readonly forms?: FedForms;
}

/** How the storage stands that follows etcd. */
export interface FeedStatus {
  readonly state: FollowerState;
  readonly trouble: string;
  readonly denial: string;
  readonly awayMs: number;
  readonly loading: LoadProgress | undefined;
  readonly connects: number;
}

export type ToFed =
  /** A state follows, in place of one that may be there or on its way. */
  | {
      readonly kind: 'begin';
      readonly revision: Revision;
      readonly compactedAt: Revision;
      readonly epoch: number;
      /** As text; undefined if it is not known. */
      readonly cluster: string | undefined;
      readonly past: string | undefined;
      /** Collections whose history before this state is not to be shown. */
      readonly distrusted: readonly CollectionId[];
      /** The last notice of another past that was heard before the state was made. */
      readonly heard: number;
    }
  | { readonly kind: 'objects'; readonly collection: CollectionId; readonly objects: readonly FedObject[] }
  | { readonly kind: 'pack'; readonly collection: CollectionId; readonly pack: FedPack }
  | { readonly kind: 'end' }
  /** Of complete revisions, in order. */
  | { readonly kind: 'events'; readonly events: readonly FedEvent[] }
  | { readonly kind: 'status'; readonly status: FeedStatus }
  | ToldNewest
  /** The revision of an answer is not reached, as nothing proves that the view goes on. */
  | { readonly kind: 'unreached'; readonly id: number; readonly problem: ToldProblem }
  /** Nothing, so that a thread that takes it shows that it does not hang. */
  | { readonly kind: 'ping' };

/** The answer to `askNewest`. */
export interface ToldNewest {
  readonly kind: 'newest';
  readonly id: number;
  readonly answer: Told | ToldProblem;
}

export type FromFed =
  /** A part of a state, events, or a ping were taken. */
  | { readonly kind: 'taken' }
  /** Which revision of etcd is the newest? */
  | { readonly kind: 'askNewest'; readonly id: number }
  /** etcd has another past than the state of this epoch. */
  | { readonly kind: 'otherPast'; readonly notice: number; readonly epoch: number; readonly why: string };
