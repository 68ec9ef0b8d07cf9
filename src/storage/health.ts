/** Storage health, checked a few times a second at most at any request rate. */
import { messageOf } from '../base/errors.ts';
import type { Clock } from '../base/clock.ts';
import { SharedCall } from '../base/shared-call.ts';
import { withDeadline } from '../base/pause.ts';
import type { EtcdClient } from './etcd/client.ts';
import { toEtcdError } from './etcd/etcd-error.ts';
import type { Following } from './following.ts';
import type { ConsistentReads } from './consistent-reads.ts';
import type { KeySpace } from './keys.ts';

/** Less than the timeout of a health check (2 s), so that a lagging view does not fail the etcd check as well. */
const deadlineMs = 1_500;
/**
 * Shorter than the interval of a balancer's checks, so that each of them is an answer of now: clients of a replica that
 * does not reach etcd wait for as long as the balancer takes it for ready.
 */
const freshMs = 150;

export interface StorageHealth {
  readonly etcd: string;
  readonly follower: string;
}

export interface HealthDependencies {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly follower: Following;
  readonly freshness: ConsistentReads;
  readonly clock: Clock;
}

export class HealthProbe {
  readonly #deps: HealthDependencies;
  readonly #round = new SharedCall(() => this.#look());
  #last: StorageHealth | undefined;
  #lastAt = 0;

  constructor(deps: HealthDependencies) {
    this.#deps = deps;
  }

  async check(): Promise<StorageHealth> {
    const isFresh = this.#deps.clock.monotonic() - this.#lastAt < freshMs;
    return isFresh && this.#last !== undefined ? this.#last : this.#round.join();
  }

  async #look(): Promise<StorageHealth> {
    const [etcd, follower] = await Promise.all([this.#etcd(), this.#follower()]);
    this.#last = { etcd, follower };
    this.#lastAt = this.#deps.clock.monotonic();
    return this.#last;
  }

  async #etcd(): Promise<string> {
    const { client, keys } = this.#deps;
    try {
      await client.range(
        { key: keys.fence(), count_only: true },
        { operation: 'probe', timeoutMs: deadlineMs },
      );
      return '';
    } catch (error) {
      return toEtcdError(error, 'probe').message;
    }
  }

  async #follower(): Promise<string> {
    const { follower, freshness, clock } = this.#deps;
    if (follower.state !== 'following') return `${follower.state}: ${follower.trouble}`;
    try {
      await withDeadline(
        clock,
        freshness.mostRecent(),
        deadlineMs,
        () => new Error('the watch cache lags behind etcd'),
      );
      return '';
    } catch (error) {
      return messageOf(error);
    }
  }
}
