/** What the authenticator of service accounts sees of accounts and of the objects that tokens live with. */
import type { ObjectKey } from '../../storage/types.ts';

/** A live object, as far as tokens depend on it. */
export interface TokenObject {
  readonly uid: string;
  /** Its deletionTimestamp; undefined: it is not being deleted. */
  readonly deletedAt: number | undefined;
  /** Digest of the token that a Secret holds (`secret-digest.ts`); undefined where there is none. */
  readonly tokenDigest: Buffer | undefined;
  /** Of a Secret that holds a token; absent: it has none. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Names of the Secrets that a service account lists; absent: none. */
  readonly secrets?: ReadonlySet<string> | undefined;
}

export type TokenObjectKind = 'ServiceAccount' | 'Secret' | 'Pod' | 'Node';

export interface TokenObjects {
  /** The object in the replica's view; undefined, too, if it is large and this revision of it was not read yet. */
  peek(kind: TokenObjectKind, key: ObjectKey): TokenObject | undefined;
  /** The object as a quorum read finds it. Rejects when etcd does not answer. */
  read(kind: TokenObjectKind, key: ObjectKey): Promise<TokenObject | undefined>;
}
