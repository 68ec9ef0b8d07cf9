/** Serving, whether by one process or by several: what it takes and what it gives. */
import type { ServerTls } from '../http/server.ts';
import type { NumberFamily } from '../observe/cells.ts';
import type { RootLogger } from '../observe/log.ts';
import type { StorageOptions } from '../storage/options.ts';
import type { AccountMaterials } from './authentication/account-materials.ts';

/** Who the service is to its clients and how it knows them; may change while it serves. Plain data. */
export interface Credentials {
  readonly tls: ServerTls;
  /** The text of the token file; undefined: there is none. */
  readonly tokens: string | undefined;
  readonly accounts: AccountMaterials;
}

/** How etcd is reached. Plain data. */
export type EtcdAccess = Pick<StorageOptions, 'endpoints' | 'tls'>;

export interface ServingParts {
  readonly credentials: Credentials;
  readonly etcd: EtcdAccess;
  readonly logger: RootLogger;
  /** Calls the start off. */
  readonly signal: AbortSignal;
  /** Gets what has to be stopped, in reverse order. */
  readonly owned: AsyncDisposableStack;
}

export interface Serving {
  readonly port: number;
  /** Takes other credentials for new connections and requests. */
  use(credentials: Credentials): void;
  /** Counts files that were read again. */
  readonly fileReloads: NumberFamily;
}
