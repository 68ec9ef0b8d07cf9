/** What the thread of control planes is asked, and answers. Plain data. */
import type { StaticToken } from '../../authn/token-file.ts';
import type { StartErrorDetail } from '../../base/start-error.ts';
import type { WorkLeft } from '../../controllers/work-left.ts';
import type { FlagTexts } from '../../options/serve-flags.ts';
import type { MemoryPki } from '../../pki/memory-pki.ts';
import type { FaultId, FaultStrike, SeededFault } from '../fault-orders.ts';
import type { ReplicaPki } from '../../server/credentials-of.ts';
import type { Changes } from '../state/differences.ts';
import type { ReadableOptions } from '../state/readable-state.ts';
import type { ApiStatus } from '../api-error.ts';

/** What the keys are kept in: memory, an etcd that is started in a folder, or one that runs. */
export type EngineOrder =
  | { readonly kind: 'memory' }
  | { readonly kind: 'etcd'; readonly folder: string }
  | { readonly kind: 'etcd'; readonly servers: readonly string[] };

/** What starts a control plane. */
export interface StartOrder {
  readonly engine: EngineOrder;
  readonly flags: FlagTexts;
  readonly pki: ReplicaPki;
  readonly tokens: readonly StaticToken[];
  /** Its time can be moved forward. */
  readonly hasVirtualClock: boolean;
  /** Its log is also written to the standard error of the process. */
  readonly printsLog: boolean;
}

/** A file to write; its extension says in which form. */
export interface SaveOrder extends ReadableOptions {
  readonly path: string;
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
  /** What it has when the start is answered. */
  readonly first: SnapshotId;
}

/** What can be asked, by name: arguments and answer. */
export interface HostCalls {
  /**
   * Keys and certificates, the same for all control planes of the thread: making them takes time. That of the server is
   * another one for hosts beside those of loopback.
   */
  authorities(hosts?: readonly string[]): MemoryPki;
  start(order: StartOrder): StartedPlane;
  /** Creates what is there from the start; resolves when all definitions are served. */
  install(plane: PlaneId, installed: Installed): void;
  stop(plane: PlaneId): void;
  /** Other tokens of users. */
  useTokens(plane: PlaneId, tokens: readonly StaticToken[]): void;
  snapshot(plane: PlaneId): SnapshotId;
  /** Brings the objects back to a snapshot. @returns how many keys changed */
  rewind(plane: PlaneId, snapshot: SnapshotId): number;
  /** Writes the objects, or those of a snapshot, to a file. */
  save(plane: PlaneId, of: SnapshotId | undefined, file: SaveOrder): void;
  /** Brings the objects to the state in a file. @returns how many keys changed */
  load(plane: PlaneId, path: string): number;
  /** What has changed since a snapshot. */
  changes(plane: PlaneId, since: SnapshotId): Changes;
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
  /** Answers when it serves again, if a fault restarts it. */
  serving(plane: PlaneId): void;
  /** Begins a fault. */
  startFault(plane: PlaneId, fault: SeededFault): void;
  endFault(plane: PlaneId, fault: FaultId): void;
  /** Ends all faults, and forgets what they did. */
  clearFaults(plane: PlaneId): void;
  /** How many requests a fault has struck. */
  faultStrikes(plane: PlaneId, fault: FaultId): number;
  /** The first requests that it has struck. */
  faultRequests(plane: PlaneId, fault: FaultId): readonly string[];
  /** The last that faults did. */
  faultLog(plane: PlaneId): readonly FaultStrike[];
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
