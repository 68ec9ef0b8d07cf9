/** Polls the database sizes of the etcd members: at its quota etcd rejects all writes. */
import { pause } from '../base/pause.ts';
import { BackgroundLoop } from './background-loop.ts';
import type { EtcdClient } from './etcd/client.ts';
import type { StorageMetrics } from './options.ts';

export interface DatabaseSizeDependencies {
  readonly client: Pick<EtcdClient, 'databaseSizes'>;
  readonly intervalMs: number;
  readonly metrics: StorageMetrics;
}

/** The loop that reports them as a metric. */
export function databaseSizePoll({ client, intervalMs, metrics }: DatabaseSizeDependencies): BackgroundLoop {
  return new BackgroundLoop(intervalMs, async (signal) => {
    while (!signal.aborted) {
      for (const [endpoint, bytes] of await client.databaseSizes())
        metrics.observeDatabaseSize?.(endpoint, bytes);
      await pause(intervalMs, signal);
    }
  });
}
