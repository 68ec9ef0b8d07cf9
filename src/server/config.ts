/** What a replica is told, typed; the flags of the command line are one way to make it. Paths are not read yet. */
import type { Rate } from '../base/token-bucket.ts';
import type { ConnectionLimits } from '../http/connection-gate.ts';
import type { InFlightLimits } from '../http/filters/in-flight.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { Release } from '../observe/release.ts';
import type { RuntimeConfig } from '../registry/enablement.ts';
import type { AdmissionConfig } from './admission/config.ts';
import type { AuditConfig } from './audit/config.ts';
import type { AuthenticationConfig } from './authentication/config.ts';
import type { AuthorizationConfig } from './authorization/config.ts';
import type { ControllerName } from './controllers/controller-names.ts';

export interface ServerConfig {
  readonly bindAddress: string;
  /** 0 takes a free port. */
  readonly securePort: number;
  /** '' in these: the PKI of the data folder serves. */
  readonly tlsCertFile: string;
  readonly tlsPrivateKeyFile: string;
  readonly clientCaFile: string;
  readonly tokenAuthFile: string;
  readonly anonymousAuth: boolean;
  readonly authentication: AuthenticationConfig;
  readonly authorization: AuthorizationConfig;
  readonly audit: AuditConfig;
  readonly admission: AdmissionConfig;
  readonly etcd: EtcdConfig;
  readonly naming: NamingProfile['name'];
  /** Versions and resources switched on or off; checked against what the release has. */
  readonly runtimeConfig: RuntimeConfig;
  /** The release whose life cycle of versions applies. */
  readonly emulatedRelease: Release;
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly requests: RequestLimits;
  readonly livezGraceMs: number;
  readonly shutdownDelayMs: number;
  readonly showHiddenMetricsFor: string;
  readonly dataFolder: string;
  /** Controllers that this process runs when it leads. */
  readonly controllers: ReadonlySet<ControllerName>;
  readonly collectsGarbage: boolean;
  readonly verbosity: number;
  /** Processes that serve; 1: this one alone. */
  readonly workers: number;
}

export interface EtcdConfig {
  /** Empty: the service starts an etcd of its own. */
  readonly servers: readonly string[];
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly prefix: string;
  readonly compactionIntervalMs: number;
  readonly databaseSizeIntervalMs: number;
}

export interface RequestLimits {
  readonly timeoutMs: number;
  /** Served at once; 0: as many as come. With `isFair` their sum is shared by priority levels. */
  readonly inFlight: InFlightLimits;
  /** Priority levels bound requests (`--enable-priority-and-fairness`). */
  readonly isFair: boolean;
  /** Bytes of large request bodies in work at once (`--max-request-bytes-inflight`). */
  readonly maxBytesInFlight: number;
  /** Open at once; 0: as many as come. */
  readonly connections: ConnectionLimits;
  /** Credentials of one address that nobody accepts; `qps` 0: as many as come. */
  readonly failedAuthentications: Rate;
  /** Shortest time after which a watch without `timeoutSeconds` is ended. */
  readonly minWatchMs: number;
}
