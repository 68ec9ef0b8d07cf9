/** What the first process and its workers tell each other; plain data, the structured clone travels. */
import type { MetricSnapshot } from '../../observe/snapshot.ts';
import type { CompletedConfig } from '../complete.ts';
import type { Fault } from '../faults.ts';
import type { Credentials, EtcdAccess } from '../serving.ts';

export interface WorkerOrder {
  /** From 1; a worker that replaces another has its number. */
  readonly number: number;
  readonly config: CompletedConfig;
  readonly credentials: Credentials;
  readonly etcd: EtcdAccess;
}

export type ToWorker =
  /** The answer to `hello`. */
  | { readonly kind: 'start'; readonly order: WorkerOrder }
  | { readonly kind: 'credentials'; readonly credentials: Credentials }
  /** Asks for the worker's own metrics. */
  | { readonly kind: 'tell'; readonly ask: number }
  /** The answer to `scrape`. */
  | { readonly kind: 'told'; readonly ask: number; readonly text: string }
  | { readonly kind: 'stop' };

export type FromWorker =
  /** It listens to messages. */
  | { readonly kind: 'hello' }
  | { readonly kind: 'serving'; readonly port: number }
  /** It cannot start, and ends. */
  | { readonly kind: 'faults'; readonly faults: readonly Fault[] }
  /** The answer to `tell`. */
  | { readonly kind: 'metrics'; readonly ask: number; readonly snapshot: MetricSnapshot }
  /** Asks for the metrics of all. */
  | { readonly kind: 'scrape'; readonly ask: number };
