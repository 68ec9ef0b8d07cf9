/** What tests see of an etcd cluster, whichever way it runs. */
import type { TestAuthority } from '../pki.ts';

/** How the members run: as processes of this machine, or as containers of a Docker engine. */
export type EtcdRunner = 'process' | 'container';

export interface EtcdClusterOptions {
  /** Default 1. */
  readonly members?: 1 | 3;
  /** TLS with client certificates, towards clients and between members; default false. */
  readonly tls?: boolean;
  /** Issues the certificates of `tls`; default: one of its own. */
  readonly authority?: TestAuthority;
  /** Default: containers where an engine answers and ORCH_TEST_ETCD does not say otherwise, else processes. */
  readonly how?: EtcdRunner;
  /** Let etcd wait for the disk as in production; default false, which is faster. */
  readonly fsync?: boolean;
  /** Where members that are processes keep their data; default: a folder that is deleted. */
  readonly dataIn?: string;
  /** More arguments for each member, such as `--quota-backend-bytes=…`. */
  readonly extraArgs?: readonly string[];
}

/** What a client needs to talk TLS with the cluster: files for flags, PEM text for libraries. */
export interface EtcdTls {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** What a command on the data of a stopped member needs. */
export interface LocalMember {
  readonly dataDir: string;
  /** Folder of its `ca.crt`, `member.crt` and `member.key`; it reads the last two again for each connection. */
  readonly home: string;
  /** The member's arguments, beside those of its data and of TLS. */
  readonly args: readonly string[];
}

/** One member. Each change of state resolves when it has happened; after `start`, `healthy()` of the cluster waits until it serves. */
export interface EtcdMember {
  readonly name: string;
  /** `http(s)://127.0.0.1:port`; the same after a restart. */
  readonly endpoint: string;
  /** Of a member that is a process of this machine. */
  readonly local?: LocalMember;
  /** The process of a member on this machine; another one after a restart. */
  readonly pid?: () => number;
  /** Asks it to end. */
  readonly stop: () => Promise<void>;
  /** Ends it as a power cut would. */
  readonly kill: () => Promise<void>;
  /** Starts it again with its data after `stop` or `kill`. */
  readonly start: () => Promise<void>;
  /** Freezes it: connections stay open and nothing answers. */
  readonly pause: () => Promise<void>;
  readonly resume: () => Promise<void>;
  /** What it printed. */
  logs(): string;
}

export interface EtcdCluster extends AsyncDisposable {
  readonly how: EtcdRunner;
  readonly endpoints: readonly string[];
  readonly tls: EtcdTls | undefined;
  readonly members: readonly EtcdMember[];
  /** Adds a member and starts it; a learner copies the log and has no vote. Resolves when it has caught up. */
  addMember(options?: { readonly isLearner?: boolean }): Promise<EtcdMember>;
  /** Takes a member out of the cluster, which ends it if it can hear of that. It is no longer one of `members`. */
  removeMember(member: EtcdMember): Promise<void>;
  /** The member that leads now; waits for an election to end. */
  leader(): Promise<EtcdMember>;
  /** Makes another running member the leader, in good order, and gives that one. */
  moveLeader(): Promise<EtcdMember>;
  /** Waits until each running member serves linearizable reads. */
  healthy(): Promise<void>;
  /** Ends all members and deletes their data; idempotent. */
  close(): Promise<void>;
}

/** Makes members out of their plans, one way or the other. */
export interface MemberRunner {
  readonly how: EtcdRunner;
  /** Makes and starts a member. */
  launch(plan: MemberPlan): Promise<OwnedMember>;
  /** Gives back what the members shared; the members are closed before. */
  close(): Promise<void>;
}

/** All that distinguishes a member. */
export interface MemberPlan {
  readonly name: string;
  readonly endpoint: string;
  /** Its address for the other members. */
  readonly peer: string;
  /** Arguments of etcd besides `--data-dir` and the files of `tls`. */
  readonly args: readonly string[];
  readonly tls: MemberTls | undefined;
}

export interface MemberTls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A member that its cluster can take away for good. */
export interface OwnedMember extends EtcdMember {
  remove(): Promise<void>;
}
