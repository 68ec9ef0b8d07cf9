/**
 * Compacts etcd's history once per interval, one replica for all. Replicas agree on a key: each remembers the
 * version of it that it saw last and the revision of that moment. After an interval it tries to write the key
 * under the condition that the version is unchanged; whoever succeeds compacts to the revision that it remembered
 * (which is therefore at least one interval old), the others remember the new version and wait for another interval.
 */
import { pause } from '../base/pause.ts';
import type { EtcdClient } from './etcd/client.ts';
import { toEtcdError } from './etcd/etcd-error.ts';
import { numberOf } from './etcd/messages.ts';
import type { KeySpace } from './keys.ts';
import type { StorageLogger, StorageMetrics } from './options.ts';
import type { Revision } from './types.ts';

export interface CompactorDependencies {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly intervalMs: number;
  readonly logger: StorageLogger;
  readonly metrics: StorageMetrics;
}

/** What a replica knows of the key. */
interface Memory {
  readonly version: number;
  /** etcd's revision when that was learnt. */
  readonly revision: Revision;
}

export class Compactor {
  readonly #deps: CompactorDependencies;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #compactions = 0;

  constructor(deps: CompactorDependencies) {
    this.#deps = deps;
  }

  /** How often this replica compacted. */
  get compactions(): number {
    return this.#compactions;
  }

  start(): void {
    if (this.#deps.intervalMs > 0) this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { intervalMs, logger } = this.#deps;
    let memory: Memory | undefined;
    for (;;) {
      await pause(intervalMs, this.#stopping.signal);
      if (this.#stopping.signal.aborted) return;
      try {
        memory = await this.#round(memory);
      } catch (error) {
        // The age of what was remembered is no longer known to fit the key: begin anew.
        memory = undefined;
        logger.warn(
          { error: toEtcdError(error, 'compact').message },
          'compaction failed; the next interval tries again',
        );
      }
    }
  }

  async #round(memory: Memory | undefined): Promise<Memory> {
    const { client, keys, logger } = this.#deps;
    const key = keys.compaction();
    const version = memory?.version ?? 0;
    const answer = await client.txn({
      compare: [{ result: 0, target: 0, key, version }],
      success: [{ request_put: { key, value: Buffer.from(String(memory?.revision ?? 0)) } }],
      failure: [{ request_range: { key } }],
    });
    const revision = numberOf(answer.header.revision);
    if (!answer.succeeded) {
      const seen = answer.responses[0]?.response_range?.kvs[0];
      return { version: seen === undefined ? 0 : numberOf(seen.version), revision };
    }
    if (memory !== undefined) {
      await client.compact(memory.revision).catch(ignoreCompacted);
      this.#compactions += 1;
      this.#deps.metrics.observeCompaction?.();
      logger.info({ revision: memory.revision }, 'history compacted');
    }
    return { version: version + 1, revision };
  }
}

/** Somebody compacted further already: nothing is left to do. */
function ignoreCompacted(error: unknown): void {
  if (toEtcdError(error, 'compact').kind !== 'compacted') throw error;
}
