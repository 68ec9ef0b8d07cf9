/** What the thread of control planes is asked, and answers. Plain data. */
import type { StaticToken } from '../../authn/token-file.ts';
import type { StartErrorDetail } from '../../base/start-error.ts';
import type { WorkLeft } from '../../controllers/work-left.ts';
import type { FlagTexts } from '../../options/serve-flags.ts';
import type { MemoryPki } from '../../pki/memory-pki.ts';
import type { ReplicaPki } from '../../server/credentials-of.ts';
import type { ApiStatus } from '../api-error.ts';

/** What starts a control plane. */
export interface StartOrder {
  readonly flags: FlagTexts;
  readonly pki: ReplicaPki;
  readonly tokens: readonly StaticToken[];
  /** Its time can be moved forward. */
  readonly hasVirtualClock: boolean;
  /** Its log is also written to the standard error of the process. */
  readonly printsLog: boolean;
}

/** Number of a control plane, and of a snapshot, in the thread. */
export type PlaneId = number;
export type SnapshotId = number;

/** What is there from the start, in files and folders of manifests, or as JSON. */
export interface Installed {
  readonly definitions: readonly string[];
  readonly objects: readonly (string | { readonly json: string })[];
}

export interface StartedPlane {
  readonly plane: PlaneId;
  readonly port: number;
  /** How far its clock is ahead of that of the machine. */
  readonly offsetMs: number;
}

/** What can be asked, by name: arguments and answer. */
export interface HostCalls {
  /** Keys and certificates, the same for all control planes of the thread: making them takes time. */
  authorities(): MemoryPki;
  start(order: StartOrder): StartedPlane;
  /** Creates what is there from the start; resolves when all definitions are served. */
  install(plane: PlaneId, installed: Installed): void;
  stop(plane: PlaneId): void;
  /** Other tokens of users. */
  useTokens(plane: PlaneId, tokens: readonly StaticToken[]): void;
  snapshot(plane: PlaneId): SnapshotId;
  /** Brings the objects back to a snapshot. @returns how many keys changed */
  rewind(plane: PlaneId, snapshot: SnapshotId): number;
  /** What is kept of a state: the present one, one of a snapshot, or the one in which the service began. */
  entries(plane: PlaneId, of: SnapshotId | 'now' | 'beginning'): readonly StateEntry[];
  /** Brings the objects to a state that was kept. @returns how many keys changed */
  replace(plane: PlaneId, entries: readonly StateEntry[]): number;
  /** What has changed since a snapshot. */
  differences(plane: PlaneId, since: SnapshotId): readonly StateDifference[];
  /** Where objects are kept: the collection by `apiVersion kind`. */
  collections(plane: PlaneId): Readonly<Record<string, string>>;
  /** Another control plane that goes on from the present state, or from that of a snapshot. */
  fork(plane: PlaneId, snapshot: SnapshotId | undefined, order: StartOrder): StartedPlane;
  /** Moves its clock forward. @returns how far it is ahead of that of the machine, in milliseconds */
  advance(plane: PlaneId, ms: number): number;
  /** Waits until controllers have no work left. @returns as `Rest.settled` */
  settled(plane: PlaneId, timeoutMs: number): readonly WorkLeft[] | undefined;
  /** The last lines of its log: those behind a position, if one is given. */
  logs(plane: PlaneId, after?: number): string;
  /** Where its log ends now. */
  logPosition(plane: PlaneId): number;
}

/** A key of etcd that belongs to the state, below the prefix, with its value. Both have a character for each byte. */
export interface StateEntry {
  readonly key: string;
  readonly value: string;
  /** In how many milliseconds it expires; absent if it does not. */
  readonly leftMs?: number | undefined;
}

/** As in `StateEntry`; undefined where it did not or does not exist. */
export interface StateDifference {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export type CallName = keyof HostCalls;

/** Plain data of an error. */
export interface HostError {
  readonly message: string;
  /** Of a start that cannot work as it was ordered. */
  readonly details: readonly StartErrorDetail[] | undefined;
  /** Of a request that the service refused. */
  readonly refusal: { readonly request: string; readonly status: ApiStatus } | undefined;
  readonly stack: string | undefined;
}

export interface ToHost {
  readonly id: number;
  readonly call: CallName;
  readonly args: readonly unknown[];
}

export type FromHost =
  | { readonly id: number; readonly value: unknown; readonly error?: undefined }
  | { readonly id: number; readonly error: HostError };
