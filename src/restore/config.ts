/** What `backup` and `restore` are to do. */

/** Which etcd, and where its snapshot goes. */
export interface BackupConfig {
  readonly output: string;
  readonly dataFolder: string;
  /** URLs of members; none: the etcd of the service that runs on the data folder. */
  readonly servers: readonly string[];
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** Which snapshot, and what becomes of it. */
export interface RestoreConfig {
  readonly snapshot: string;
  /** A snapshot that was copied from a data directory has no hash; it is refused unless this is set. */
  readonly skipHashCheck: boolean;
  /** Verifies the snapshot and ends. */
  readonly dryRun: boolean;
  /** A revision that is known to have been served; 0: none. */
  readonly beyondRevision: number;
  readonly goal: RestoreGoal;
}

export type RestoreGoal =
  /** Only raises the snapshot's revision and writes the result, for the members of a cluster. */
  | { readonly kind: 'prepare'; readonly output: string }
  /** The service's own etcd. */
  | { readonly kind: 'own'; readonly dataFolder: string }
  /** One member of a cluster, from a prepared snapshot. */
  | { readonly kind: 'member'; readonly dataDir: string; readonly member: MemberIdentity };

/** Who a member is to its cluster; the names are those of etcd's flags. */
export interface MemberIdentity {
  readonly name: string;
  readonly initialCluster: string;
  /** '': made from the restored revision, so that it is the same for every member and for no earlier cluster. */
  readonly initialClusterToken: string;
  readonly initialAdvertisePeerUrls: string;
}

/** Lines for the operator, and what calls the restore off. */
export interface RestoreContext {
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}
