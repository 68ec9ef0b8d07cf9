/**
 * How fresh reads become fresh. "Most recent" asks etcd's quorum for its revision (a range of one tiny key; only
 * the header of the answer counts) and waits until the view has reached it. Everybody who comes while one probe
 * is under way shares the next: its answer is newer than their question.
 *
 * Events alone prove what the view has seen; etcd's progress notices may overtake events. If the view does not
 * reach a probed revision in time, either somebody else writes to this etcd outside of the prefix, or the stream
 * is dead. A write to a fence key tells: its event arrives, or the follower takes another stream.
 */
import type { Clock } from '../base/clock.ts';
import { SharedRound } from '../base/shared-round.ts';
import type { EtcdClient } from './etcd/client.ts';
import { toStorageError } from './etcd/etcd-error.ts';
import { numberOf } from './etcd/messages.ts';
import type { Follower } from './follower.ts';
import type { KeySpace } from './keys.ts';
import type { StorageMetrics, StorageTimes } from './options.ts';
import { StorageError, type Revision } from './types.ts';
import type { View } from './view/view.ts';

export interface FreshnessDependencies {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly view: View;
  readonly follower: Follower;
  readonly times: StorageTimes;
  readonly clock: Clock;
  readonly metrics: StorageMetrics;
}

export class FreshnessKeeper {
  readonly #deps: FreshnessDependencies;
  /** Resolves with the promise that the view reached the probed revision, so that the next probe need not wait for it. */
  readonly #probes = new SharedRound<{ readonly reached: Promise<void> }>(() => this.#probe());
  readonly #fences = new SharedRound<Revision>(() => this.#writeFence());
  #probeCount = 0;
  #fenceCount = 0;
  /** Others write to this etcd: then waiting for the view before writing a fence is a waste of time. */
  #isShared = false;

  constructor(deps: FreshnessDependencies) {
    this.#deps = deps;
  }

  get counters(): { readonly probes: number; readonly fences: number } {
    return { probes: this.#probeCount, fences: this.#fenceCount };
  }

  /** Resolves when the view holds everything that was committed before this call. @throws StorageError `unavailable` */
  async mostRecent(): Promise<void> {
    const { reached } = await this.#probes.join();
    await reached;
  }

  /** Waits a bounded time for a revision. @throws StorageError `futureRevision` */
  async notOlderThan(revision: Revision): Promise<void> {
    const { view, times } = this.#deps;
    if (view.revision >= revision && view.loadedAt > 0) return;
    if (await view.waiters.until(revision, times.futureRevision)) return;
    const current = view.revision;
    throw new StorageError('futureRevision', `revision ${revision} is not reached: it is ${current}`, {
      revision: current,
    });
  }

  /** Waits for the first load, as long as it gets on. @throws StorageError `unavailable` */
  async loaded(): Promise<void> {
    const { view, times, follower } = this.#deps;
    for (let before = -1; view.loadedAt === 0;) {
      if (await view.waiters.until(1, times.operation)) return;
      const pages = follower.loading?.pages ?? 0;
      if (pages <= Math.max(before, 0))
        throw new StorageError('unavailable', `the state is not loaded: ${follower.trouble}`);
      before = pages;
    }
  }

  async #probe(): Promise<{ readonly reached: Promise<void> }> {
    const { client, keys, view, follower, times } = this.#deps;
    this.#probeCount += 1;
    const before = view.revision;
    const request = { key: keys.fence(), count_only: true };
    const answer = await client.range(request, 'probe', times.operation).catch((error: unknown) => {
      throw toStorageError(error);
    });
    const revision = numberOf(answer.header.revision);
    if (revision < before) {
      // A quorum that does not know what it once told was restored from a copy: the view is of another past.
      follower.distrustView(`etcd went back from revision ${before} to ${revision}`);
    }
    const reached = this.#reach(revision);
    this.#measure(reached);
    return { reached };
  }

  /** Also what is given up counts: as long as it was waited for. */
  #measure(reached: Promise<void>): void {
    const { clock, metrics } = this.#deps;
    const start = clock.monotonic();
    const observe = (): void => metrics.observeReadWait?.((clock.monotonic() - start) / 1000);
    reached.then(observe, observe);
  }

  async #reach(revision: Revision): Promise<void> {
    const { view, follower, times, clock } = this.#deps;
    if (view.revision >= revision && view.loadedAt > 0) return;
    const deadline = clock.monotonic() + times.operation;
    const patience = this.#isShared ? Math.min(times.fenceAfter, 20) : times.fenceAfter;
    if (await view.waiters.until(revision, patience)) return;
    while (clock.monotonic() < deadline) {
      if (follower.state === 'following') await this.#askByFence();
      if (await view.waiters.until(revision, times.deadStream)) return;
    }
    const why = follower.trouble === '' ? 'the view lags' : follower.trouble;
    throw new StorageError('unavailable', `revision ${revision} is not reached: ${why}`);
  }

  /** After this the view has reached a revision newer than the call, or the stream was given up. */
  async #askByFence(): Promise<void> {
    const { view, follower, times } = this.#deps;
    const connects = follower.counters.connects;
    const { revision, appliedRevisions } = view;
    const fence = await this.#fences.join().catch(() => undefined);
    if (fence === undefined) return;
    const isAlive = await view.waiters.until(fence, times.deadStream);
    // Revisions without an event here belong to somebody else.
    if (isAlive) this.#isShared = view.appliedRevisions - appliedRevisions < view.revision - revision;
    const isSameStream = follower.state === 'following' && follower.counters.connects === connects;
    if (!isAlive && isSameStream) follower.distrustStream('no event of a fence key arrived');
  }

  async #writeFence(): Promise<Revision> {
    const { client, keys } = this.#deps;
    this.#fenceCount += 1;
    const answer = await client.put({ key: keys.fence(), value: Buffer.from('0') });
    return numberOf(answer.header.revision);
  }
}
