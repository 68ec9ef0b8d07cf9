/** What a supervisor and its workers send each other; plain data, the structured clone travels. */
import type { LogLevel } from '../observe/log.ts';
import type { MetricSnapshot } from '../observe/metric-snapshot.ts';
import type { CompletedConfig } from '../options/complete-config.ts';
import type { ControllersConfig } from '../options/controllers/controller-manager-options.ts';
import type { StartErrorDetail } from '../base/start-error.ts';
import type { Credentials, EtcdAccess } from '../options/credentials.ts';

/**
 * File descriptor of a worker's log: the supervisor's standard error itself. The worker's own standard error is a pipe
 * to the supervisor, for what Node and V8 print is not in the log's format.
 */
export const logFd = 4;

/** A whole replica. */
export interface ServeTask {
  readonly kind: 'serve';
  readonly config: CompletedConfig;
  readonly credentials: Credentials;
  readonly etcd: EtcdAccess;
  /** Several workers serve the port, and the supervisor hands out its connections. */
  readonly sharesPort: boolean;
  /** Nobody else serves the port: this one answers health while it loads the state. */
  readonly listensEarly: boolean;
}

/** Controllers beside an API that is served elsewhere. */
export interface ControllersTask {
  readonly kind: 'controllers';
  readonly config: ControllersConfig;
}

export type WorkerTask = ServeTask | ControllersTask;

export type WorkerKind = WorkerTask['kind'];

export interface WorkerOrder {
  /** From 1; a worker that replaces another has its number. */
  readonly number: number;
  /** How many there are. */
  readonly count: number;
  readonly logLevel: LogLevel;
  readonly task: WorkerTask;
}

export type ToWorker =
  /** The answer to `hello`. */
  | { readonly kind: 'start'; readonly order: WorkerOrder }
  | { readonly kind: 'credentials'; readonly credentials: Credentials }
  /** Asks for the worker's own metrics. */
  | { readonly kind: 'collect'; readonly id: number }
  /** The answer to `scrape`. */
  | { readonly kind: 'scraped'; readonly id: number; readonly snapshots: readonly MetricSnapshot[] }
  | { readonly kind: 'stop' };

export type FromWorker =
  /** It listens to messages. */
  | { readonly kind: 'hello' }
  /** It is ready; port 0: it serves none. */
  | { readonly kind: 'serving'; readonly port: number }
  /** It cannot start, and ends. */
  | { readonly kind: 'errors'; readonly errors: readonly StartErrorDetail[] }
  /** The answer to `tell`. */
  | { readonly kind: 'metrics'; readonly id: number; readonly snapshot: MetricSnapshot }
  /** Asks for the metrics of all. */
  | { readonly kind: 'scrape'; readonly id: number };
