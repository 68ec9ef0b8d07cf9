/**
 * Fences: revisions made now, whose events prove the progress of a watch. Usually a put makes them. A full etcd (alarm
 * NOSPACE) takes no put, but removals, so spare keys are kept to be removed then: every release of etcd allows that,
 * and its event is as good. They are filled up when there is room. While etcd is full hardly anything else makes
 * revisions, so a few are enough.
 */
import type { Clock } from '../base/clock.ts';
import { pause } from '../base/pause.ts';
import type { Random } from '../base/random.ts';
import { SharedCall } from '../base/shared-call.ts';
import { BackgroundLoop } from './background-loop.ts';
import type { EtcdClient } from './etcd/client.ts';
import { EtcdError, toEtcdError } from './etcd/etcd-error.ts';
import { numberOf } from './etcd/etcd-messages.ts';
import type { KeySpace } from './keys.ts';
import type { StorageTimes } from './options.ts';
import type { Revision } from './types.ts';

export interface FencesDependencies {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly times: StorageTimes;
  readonly clock: Clock;
  readonly random: Random;
}

/** Spare keys below a prefix. */
export const spareCount = 32;

export class Fences {
  readonly #deps: FencesDependencies;
  readonly #loop: BackgroundLoop;
  readonly #removals = new SharedCall<Revision>(() => this.#removeOne());
  #lastRemoval = { revision: 0, epoch: 0 };

  constructor(deps: FencesDependencies) {
    this.#deps = deps;
    this.#loop = new BackgroundLoop(deps.times.spareFences, (signal) => this.#run(signal));
  }

  /** The newest revision of a spare key that this process removed in this past of etcd; 0 if there is none. */
  get lastRemoval(): Revision {
    const { revision, epoch } = this.#lastRemoval;
    return epoch === this.#deps.client.epoch ? revision : 0;
  }

  /**
   * A revision newer than the call, with an event below the prefix.
   * @throws EtcdError, `noSpace` if etcd is full and no spare key is left
   */
  async make(): Promise<Revision> {
    const { client, keys } = this.#deps;
    try {
      return await client.fence(keys.fence());
    } catch (error) {
      if (toEtcdError(error, 'put').kind !== 'noSpace') throw error;
      return this.removeSpare();
    }
  }

  /** As `make`, by a removal. Callers share it. @throws EtcdError, `noSpace` if no spare key is left */
  removeSpare(): Promise<Revision> {
    return this.#removals.join();
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Only a removal that found its key made a revision: another replica may have been first. */
  async #removeOne(): Promise<Revision> {
    const { client, keys, random } = this.#deps;
    for (let attempt = 0; attempt < spareCount; attempt += 1) {
      const { kvs } = await client.range({ ...keys.fenceSpares(), keys_only: true });
      const spare = kvs[Math.floor(random.number() * kvs.length)];
      if (spare === undefined) break;
      const { header, deleted } = await client.remove(spare.key);
      if (numberOf(deleted) === 0) continue;
      const revision = numberOf(header.revision);
      this.#lastRemoval = { revision, epoch: client.epoch };
      return revision;
    }
    throw new EtcdError('noSpace', 'etcd is full, and no spare fence key is left');
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, times } = this.#deps;
    while (!signal.aborted) {
      // What fails is tried again in the next round; requests report what is wrong with etcd.
      await this.#fillUp().catch(() => undefined);
      await pause(clock, times.spareFences, signal);
    }
  }

  /** Puts the spare keys that are missing. A key that two replicas put is harmless. */
  async #fillUp(): Promise<void> {
    const { client, keys } = this.#deps;
    const { kvs } = await client.range({ ...keys.fenceSpares(), keys_only: true });
    const present = new Set(kvs.map(({ key }) => key.toString()));
    const all = Array.from({ length: spareCount }, (_, number) => keys.fenceSpare(number));
    const missing = all.filter((key) => !present.has(key.toString()));
    if (missing.length === 0) return;
    const success = missing.map((key) => ({ request_put: { key, value: Buffer.from('0') } }));
    await client.txn({ compare: [], success, failure: [] });
  }
}
