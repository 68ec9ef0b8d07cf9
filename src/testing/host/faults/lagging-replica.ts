/** A second replica over the etcd of a control plane, whose watches of it come late. It serves no port of its own. */
import type { ResourceVerbs } from '../../../registry/types.ts';
import type { CompletedConfig } from '../../../options/complete-config.ts';
import { buildReplica, type BuildParts } from '../../../server/build-replica.ts';
import { ownParts } from '../../../server/replica.ts';
import type { ConnectLine } from '../../../storage/etcd/etcd-line.ts';
import { laggedLines } from './lagged-line.ts';
import type { Lags } from './lags.ts';

export interface LaggingParts extends Omit<BuildParts, 'connectLine' | 'interpose' | 'extendExpress'> {
  readonly connectLine: ConnectLine;
  readonly lags: Lags;
}

export class LaggingReplica {
  readonly #config: CompletedConfig;
  readonly #parts: LaggingParts;
  readonly #owned = new AsyncDisposableStack();
  #verbs: Promise<ResourceVerbs> | undefined;

  constructor(config: CompletedConfig, parts: LaggingParts) {
    this.#config = config;
    this.#parts = parts;
  }

  /** Starts it if it is not there yet, and resolves when it has loaded the state. */
  verbs(): Promise<ResourceVerbs> {
    this.#verbs ??= this.#start();
    return this.#verbs;
  }

  async close(): Promise<void> {
    await this.#verbs?.catch(() => undefined);
    await this.#owned.disposeAsync();
  }

  async #start(): Promise<ResourceVerbs> {
    const { connectLine, lags, ...parts } = this.#parts;
    const lines = laggedLines(connectLine, parts.environment.clock, lags);
    const replica = await buildReplica(this.#config, { ...parts, connectLine: lines });
    ownParts(replica, this.#owned, parts.logger);
    await replica.storage.ready();
    return replica.verbs;
  }
}
