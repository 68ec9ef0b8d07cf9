/** The interface of serving by one or several processes. */
import type { FileReloads } from '../observe/worker-metrics.ts';
import type { RootLogger } from '../observe/log.ts';
import type { Credentials, EtcdAccess } from '../options/credentials.ts';

export interface ServingParts {
  readonly credentials: Credentials;
  readonly etcd: EtcdAccess;
  readonly logger: RootLogger;
  /** Cancels the start. */
  readonly signal: AbortSignal;
  /** Collects what must be stopped, in reverse order. */
  readonly owned: AsyncDisposableStack;
}

export interface Serving {
  readonly port: number;
  /** Uses other credentials for new connections and requests. */
  use(credentials: Credentials): void;
  /** Counts reloaded files. */
  readonly fileReloads: FileReloads;
}
