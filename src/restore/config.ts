/** Configuration of `backup` and `restore`. */

/** The etcd and the output file. */
export interface BackupConfig {
  readonly output: string;
  readonly dataFolder: string;
  /** URLs of members; empty for the etcd of the service on the data folder. */
  readonly servers: readonly string[];
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** The snapshot and its destination. */
export interface RestoreConfig {
  readonly snapshot: string;
  /** Accepts a snapshot without a hash, such as a copied database. */
  readonly skipHashCheck: boolean;
  /** Only verifies the snapshot. */
  readonly dryRun: boolean;
  /** A revision that clients have seen; 0 if unknown. */
  readonly beyondRevision: number;
  readonly goal: RestoreGoal;
}

export type RestoreGoal =
  /** Raises the revision of the snapshot and writes the result, for the members of a cluster. */
  | { readonly kind: 'prepare'; readonly output: string }
  /** The service's own etcd. */
  | { readonly kind: 'own'; readonly dataFolder: string }
  /** One member of a cluster, from a prepared snapshot. */
  | { readonly kind: 'member'; readonly dataDir: string; readonly member: MemberIdentity };

/** The identity of a member; names are those of etcd flags. */
export interface MemberIdentity {
  readonly name: string;
  readonly initialCluster: string;
  /** If '', derived from the restored revision: the same for all members, and different from earlier clusters. */
  readonly initialClusterToken: string;
  readonly initialAdvertisePeerUrls: string;
}

/** Output for the operator, and the signal that cancels the restore. */
export interface RestoreContext {
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
}
