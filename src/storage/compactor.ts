/**
 * Compacts the etcd history once per interval, by one of the replicas. Replicas coordinate through a key: each
 * remembers the last version of the key that it saw, and the revision at that moment. After an interval it writes the
 * key on condition that the version is unchanged. The replica that succeeds compacts to the remembered revision,
 * which is at least one interval old; the others remember the new version and wait for another interval.
 */
import type { Clock } from '../base/clock.ts';
import { pause } from '../base/pause.ts';
import { BackgroundLoop } from './background-loop.ts';
import type { EtcdClient } from './etcd/client.ts';
import { toEtcdError } from './etcd/etcd-error.ts';
import { numberOf } from './etcd/etcd-messages.ts';
import type { KeySpace } from './keys.ts';
import type { StorageLogger, StorageMetrics } from './options.ts';
import type { Revision } from './types.ts';

export interface CompactorDependencies {
  readonly clock: Clock;
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly intervalMs: number;
  readonly logger: StorageLogger;
  readonly metrics: StorageMetrics;
}

/** The last known version of the key. */
interface Memory {
  readonly version: number;
  /** The etcd revision at that time, and the past of etcd that it belongs to. */
  readonly revision: Revision;
  readonly epoch: number;
}

export class Compactor {
  readonly #deps: CompactorDependencies;
  readonly #loop: BackgroundLoop;
  #compactions = 0;

  constructor(deps: CompactorDependencies) {
    this.#deps = deps;
    this.#loop = new BackgroundLoop(deps.intervalMs, (signal) => this.#run(signal));
  }

  /** Number of compactions by this replica. */
  get compactions(): number {
    return this.#compactions;
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { client, clock, intervalMs, logger } = this.#deps;
    let memory: Memory | undefined;
    for (;;) {
      await pause(clock, intervalMs, signal);
      if (signal.aborted) return;
      try {
        memory = await this.#round(memory?.epoch === client.epoch ? memory : undefined);
      } catch (error) {
        // The age of the remembered version is uncertain: start over.
        memory = undefined;
        logger.warn(
          { error: toEtcdError(error, 'compact').message },
          'compaction failed; retrying in the next interval',
        );
      }
    }
  }

  async #round(memory: Memory | undefined): Promise<Memory> {
    const { client, keys, logger } = this.#deps;
    const key = keys.compaction();
    const version = memory?.version ?? 0;
    const { epoch } = client;
    const answer = await client.txn({
      compare: [{ result: 0, target: 0, key, version }],
      success: [{ request_put: { key, value: Buffer.from(String(memory?.revision ?? 0)) } }],
      failure: [{ request_range: { key } }],
    });
    const revision = numberOf(answer.header.revision);
    if (!answer.succeeded) {
      const seen = answer.responses[0]?.response_range?.kvs[0];
      return { version: seen === undefined ? 0 : numberOf(seen.version), revision, epoch };
    }
    if (memory !== undefined) {
      await client.compact(memory.revision).catch(ignoreCompacted);
      this.#compactions += 1;
      this.#deps.metrics.observeCompaction?.();
      logger.info({ revision: memory.revision }, 'history compacted');
    }
    return { version: version + 1, revision, epoch };
  }
}

/** Another process has already compacted further. */
function ignoreCompacted(error: unknown): void {
  if (toEtcdError(error, 'compact').kind !== 'compacted') throw error;
}
