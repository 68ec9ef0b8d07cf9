/** Messages between the supervisor and workers; plain data for structured clone. */
import type { MessagePort } from 'node:worker_threads';
import type { LogFormat, LogLevel } from '../observe/log.ts';
import type { MetricSnapshot } from '../observe/metric-snapshot.ts';
import type { CompletedConfig } from '../options/complete-config.ts';
import type { ControllersConfig } from '../options/controllers/controller-manager-options.ts';
import type { CountsPlace } from '../base/shared-counts.ts';
import type { StartErrorDetail } from '../base/start-error.ts';
import type { Credentials, EtcdAccess } from '../options/credentials.ts';

/**
 * File descriptor of the log of a worker, which is the standard error of the supervisor. The standard error of the
 * worker is a pipe to the supervisor, as output of Node and V8 is not in the log format.
 */
export const logFd = 4;

/** Serves as a replica. */
export interface ServeTask {
  readonly kind: 'serve';
  readonly config: CompletedConfig;
  readonly credentials: Credentials;
  readonly etcd: EtcdAccess;
  /** Several workers share the port, and the supervisor distributes connections. */
  readonly sharesPort: boolean;
  /** No other worker serves the port: this one serves health checks while it loads the state. Others wait for `listen`. */
  readonly listensEarly: boolean;
  /** Of a thread: from the storages that follow etcd for it. */
  readonly feeds?: readonly MessagePort[];
  /** Of a thread: what it counts together with the others. */
  readonly countsAt?: CountsPlace;
}

/** Runs controllers against an API that another process serves. */
export interface ControllersTask {
  readonly kind: 'controllers';
  readonly config: ControllersConfig;
}

export type WorkerTask = ServeTask | ControllersTask;

export type WorkerKind = WorkerTask['kind'];

export interface WorkerOrder {
  /** From 1; a replacement gets the same number. */
  readonly number: number;
  /** Number of workers. */
  readonly count: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** Of a thread; absent: `logFd`. */
  readonly logFd?: number;
  readonly task: WorkerTask;
}

/** A part of metrics, which may be too many for one message. */
export interface MetricsPart {
  /** Number of the request that it answers. */
  readonly id: number;
  readonly part: MetricSnapshot;
  readonly isLast: boolean;
}

export type ToWorker =
  /** The response to `hello`. */
  | { readonly kind: 'start'; readonly order: WorkerOrder }
  | { readonly kind: 'credentials'; readonly credentials: Credentials }
  /** The response to `loaded`: it may listen. */
  | { readonly kind: 'listen' }
  /** Asks for the worker's own metrics. */
  | { readonly kind: 'collect'; readonly id: number }
  /** A part of the answer to `scrape`. */
  | ({ readonly kind: 'scraped' } & MetricsPart)
  | { readonly kind: 'stop' };

export type FromWorker =
  /** The worker is ready for messages. */
  | { readonly kind: 'hello' }
  /** It has the state. */
  | { readonly kind: 'loaded' }
  /** It is ready; port 0: it serves none. */
  | { readonly kind: 'serving'; readonly port: number }
  /** It lives: sent every second from hello on. */
  | { readonly kind: 'alive' }
  /** It cannot start, and ends. */
  | { readonly kind: 'errors'; readonly errors: readonly StartErrorDetail[] }
  /** A part of the answer to `collect`. */
  | ({ readonly kind: 'metrics' } & MetricsPart)
  /** Asks for the metrics of all others. */
  | { readonly kind: 'scrape'; readonly id: number };
