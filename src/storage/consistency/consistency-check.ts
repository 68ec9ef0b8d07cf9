/**
 * Proves every few minutes that the view is what etcd has: etcd has lost, doubled and reordered events of watches in
 * some releases, and a view that lacks one stays wrong until the object is written again (KEP-4988, "Cache
 * inconsistency detection"). A collection that differs is reported and loaded again.
 *
 *   pause ─▶ pin the view at its revision ─▶ digests of etcd at that revision ──equal──▶ pause
 *     ▲           ▲      │ compacted meanwhile        │ differ
 *     │           └──────┘                            ▼
 *     └──────────────── load the collections again ◀── keys that differ ─▶ log, metric
 */
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { joinedSignals } from '../../base/joined-signals.ts';
import { pause } from '../../base/pause.ts';
import type { Random } from '../../base/random.ts';
import { BackgroundLoop } from '../background-loop.ts';
import type { ConsistentReads } from '../consistent-reads.ts';
import type { EtcdClient } from '../etcd/client.ts';
import { toEtcdError } from '../etcd/etcd-error.ts';
import type { Follower } from '../follower.ts';
import type { KeySpace } from '../keys.ts';
import { defaultConsistencyCheckIntervalMs, type StorageLogger, type StorageMetrics } from '../options.ts';
import type { CollectionId, Revision } from '../types.ts';
import type { View } from '../view/view.ts';
import { repairCollection } from './collection-repair.ts';
import { Comparison, type Difference } from './comparison.ts';

/** Attempts of a check whose revision is compacted, or whose view is loaded again, meanwhile. */
const mostAttempts = 3;
/** Share of the interval after which a check that could not be finished is tried again; also between checks out of turn. */
const soonShare = 1 / 10;
/** Checks of many replicas drift apart: an interval is shorter by up to this share of it. */
const jitterShare = 1 / 5;

export interface ConsistencyCheckDependencies {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly view: View;
  readonly follower: Pick<Follower, 'state' | 'distrustStream' | 'loadAgain'>;
  readonly freshness: ConsistentReads;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: StorageLogger;
  readonly metrics: StorageMetrics;
}

/** What a finished check found. */
interface Finding {
  readonly revision: Revision;
  readonly differences: readonly Difference[];
}

export class ConsistencyCheck {
  readonly #deps: ConsistencyCheckDependencies;
  readonly #intervalMs: number;
  readonly #loop: BackgroundLoop;
  #wanted = new AbortController();
  #checks = 0;
  #inconsistencies = 0;

  /** @param intervalMs longest time between checks in milliseconds; 0: the view is never checked */
  constructor(deps: ConsistencyCheckDependencies, intervalMs = defaultConsistencyCheckIntervalMs) {
    this.#deps = deps;
    this.#intervalMs = intervalMs;
    this.#loop = new BackgroundLoop(intervalMs, (signal) => this.#run(signal));
  }

  /** Finished checks, and collections that differed. */
  get counters(): { readonly checks: number; readonly inconsistencies: number } {
    return { checks: this.#checks, inconsistencies: this.#inconsistencies };
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** There is reason to doubt the view: checks it at once, but so at most once in a tenth of the interval. */
  soon(): void {
    this.#wanted.abort();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, random, follower } = this.#deps;
    const intervalMs = this.#intervalMs;
    const least = intervalMs * soonShare;
    // Replicas that start together do not check together.
    let ms = intervalMs * random.number();
    let promptFrom = -Infinity;
    for (;;) {
      await this.#pause(ms, signal);
      if (this.#wanted.signal.aborted) {
        await pause(clock, Math.max(0, promptFrom - clock.monotonic()), signal);
        promptFrom = clock.monotonic() + least;
      }
      if (signal.aborted) return;
      this.#wanted = new AbortController();
      const isDone = follower.state === 'following' && (await this.#check(signal));
      ms = isDone ? intervalMs * (1 - jitterShare * random.number()) : least;
    }
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    using either = joinedSignals(signal, this.#wanted.signal);
    await pause(this.#deps.clock, ms, either.signal);
  }

  /** Resolves with whether the check could be finished. */
  async #check(signal: AbortSignal): Promise<boolean> {
    const { clock, logger, metrics } = this.#deps;
    const start = clock.monotonic();
    const observe = (status: 'success' | 'failure' | 'error'): void =>
      metrics.observeConsistencyCheck?.(status, (clock.monotonic() - start) / 1000);
    try {
      const { revision, differences } = await this.#compare(signal);
      observe(differences.length === 0 ? 'success' : 'failure');
      this.#checks += 1;
      if (differences.length > 0) await this.#repair(differences, revision, signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      observe('error');
      logger.warn({ error: messageOf(error) }, 'the watch cache could not be compared with etcd; retrying');
      return false;
    }
  }

  async #compare(signal: AbortSignal): Promise<Finding> {
    const { view, freshness } = this.#deps;
    for (let attempt = 1; ; attempt += 1) {
      const pinned = view.pinned();
      const comparison = new Comparison(this.#deps, pinned, { epoch: view.past.epoch, signal });
      try {
        const differences = await differencesIn(comparison);
        // Otherwise what was found is about a view that is gone.
        if (view.loadedAt === pinned.loadedAt) return { revision: pinned.revision, differences };
      } catch (error) {
        if (toEtcdError(error, 'range').kind !== 'compacted' || attempt === mostAttempts) throw error;
        // The view may be behind what was compacted.
        await freshness.mostRecent();
      }
      if (attempt === mostAttempts) throw new Error('the state was loaded again and again');
    }
  }

  async #repair(differences: readonly Difference[], revision: Revision, signal: AbortSignal): Promise<void> {
    const { view, follower, logger, metrics } = this.#deps;
    for (const difference of differences) {
      const { collection } = difference;
      this.#inconsistencies += 1;
      metrics.observeInconsistency?.(collection);
      logger.error(
        { revision, ...difference },
        'the watch cache differs from etcd; loading the collection again',
      );
      view.distrust(collection);
    }
    // It has lost events, and may do so again.
    follower.distrustStream('it lacks events that etcd has');
    for (const { collection } of differences) {
      try {
        await this.#repairOne(collection, signal);
      } catch (error) {
        if (signal.aborted) return;
        follower.loadAgain(`collection ${collection} could not be loaded alone: ${messageOf(error)}`);
        return;
      }
    }
  }

  async #repairOne(collection: CollectionId, signal: AbortSignal): Promise<void> {
    const { view, logger } = this.#deps;
    if (!(await repairCollection(this.#deps, collection, { epoch: view.past.epoch, signal }))) return;
    logger.info({ collection, revision: view.revision }, 'the collection was loaded again');
  }
}

/** @throws EtcdError; Error if a digest is wrong though its keys are not */
async function differencesIn(comparison: Comparison): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const id of await comparison.unequal()) {
    const difference = await comparison.differenceOf(id);
    if (difference === undefined) throw new Error(`the digest of ${id} differs, but no key does`);
    differences.push(difference);
  }
  return differences;
}
