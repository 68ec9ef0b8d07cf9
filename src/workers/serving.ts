/** Serving, whether by one process or by several: what it takes and what it gives. */
import type { NumberFamily } from '../observe/metric-series.ts';
import type { RootLogger } from '../observe/log.ts';
import type { Credentials, EtcdAccess } from '../options/credentials.ts';

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
