/** Polls the database sizes of the etcd members: at its quota etcd rejects all writes. */
import { pause } from '../base/pause.ts';
import type { EtcdClient } from './etcd/client.ts';
import type { StorageMetrics } from './options.ts';

export interface DatabaseSizeDependencies {
  readonly client: Pick<EtcdClient, 'databaseSizes'>;
  readonly intervalMs: number;
  readonly metrics: StorageMetrics;
}

export class DatabaseSizePoll {
  readonly #deps: DatabaseSizeDependencies;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(deps: DatabaseSizeDependencies) {
    this.#deps = deps;
  }

  start(): void {
    if (this.#deps.intervalMs > 0) this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { client, intervalMs, metrics } = this.#deps;
    while (!this.#stopping.signal.aborted) {
      for (const [endpoint, bytes] of await client.databaseSizes())
        metrics.observeDatabaseSize?.(endpoint, bytes);
      await pause(intervalMs, this.#stopping.signal);
    }
  }
}
