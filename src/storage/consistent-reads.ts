/**
 * Consistent reads from the watch cache (KEP-2340). "Most recent" probes the etcd quorum for its revision (a range of
 * one small key, of which only the response header is used) and waits until the view has reached it. Requests that
 * arrive during a probe share the next one, whose response is newer than they are. Only events prove the progress of
 * the view; progress notifications of etcd may overtake events. If the view does not reach a probed revision in time,
 * either other clients write to this etcd outside of the prefix, or the stream is dead. A write to a fence key
 * decides: its event arrives, or the follower opens another stream.
 */
import type { Clock } from '../base/clock.ts';
import { SharedCall } from '../base/shared-call.ts';
import type { EtcdClient } from './etcd/client.ts';
import { refusesWrites, toEtcdError, toStorageError } from './etcd/etcd-error.ts';
import { numberOf } from './etcd/etcd-messages.ts';
import type { Fences } from './fences.ts';
import type { Following } from './following.ts';
import type { KeySpace } from './keys.ts';
import type { StorageMetrics, StorageTimes } from './options.ts';
import { StorageError, type Revision } from './types.ts';
import type { View } from './view/view.ts';

export interface ConsistentReadsDependencies {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly view: View;
  readonly fences: Fences;
  readonly follower: Following;
  readonly times: StorageTimes;
  readonly clock: Clock;
  readonly metrics: StorageMetrics;
}

export class ConsistentReads {
  readonly #deps: ConsistentReadsDependencies;
  /** Resolves with the promise of the probed revision, so that the next probe need not wait for it. */
  readonly #probes = new SharedCall<{ readonly reached: Promise<void> }>(() => this.#probe());
  readonly #fences = new SharedCall<Revision>(() => this.#writeFence());
  #probeCount = 0;
  #fenceCount = 0;
  /** Other clients write to this etcd: waiting for the view before writing a fence is then useless. */
  #isShared = false;

  constructor(deps: ConsistentReadsDependencies) {
    this.#deps = deps;
  }

  get counters(): { readonly probes: number; readonly fences: number } {
    return { probes: this.#probeCount, fences: this.#fenceCount };
  }

  /**
   * Resolves when the view contains everything that was committed before this call.
   * @throws StorageError `unavailable`; `noSpace` or `corrupt` if etcd takes no fence where one is needed
   */
  async mostRecent(): Promise<void> {
    const { reached } = await this.#probes.join();
    await reached;
  }

  /**
   * Waits for a revision, with a timeout.
   * @throws StorageError `futureRevision`
   */
  async notOlderThan(revision: Revision): Promise<void> {
    const { view, times } = this.#deps;
    if (view.revision >= revision && view.loadedAt > 0) return;
    // A view that is not loaded is at revision 0, which is nobody's state.
    if (await view.waiters.until(Math.max(1, revision), times.futureRevision)) return;
    const current = view.revision;
    throw new StorageError(
      'futureRevision',
      `revision ${revision} is not reached: the current revision is ${current}`,
      {
        revision: current,
      },
    );
  }

  /**
   * Waits for the initial load while it makes progress.
   * @throws StorageError `unavailable`
   */
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
    const { client, keys } = this.#deps;
    this.#probeCount += 1;
    const request = { key: keys.fence(), count_only: true };
    const options = { operation: 'probe', isOfAnyPast: true };
    const answer = await client.range(request, options).catch((error: unknown) => {
      throw toStorageError(error);
    });
    const reached = this.#reach(numberOf(answer.header.revision), client.epoch);
    this.#measure(reached);
    return { reached };
  }

  /** Waits that are given up are recorded, too. */
  #measure(reached: Promise<void>): void {
    const { clock, metrics } = this.#deps;
    const start = clock.monotonic();
    const observe = (): void => metrics.observeReadWait?.((clock.monotonic() - start) / 1000);
    reached.then(observe, observe);
  }

  /** @param epoch the past of etcd that has the revision; later ones will do */
  async #reach(revision: Revision, epoch: number): Promise<void> {
    const { view, follower, times, clock } = this.#deps;
    const deadline = clock.monotonic() + times.operation;
    if (view.past.epoch < epoch) await this.#loadOfPast(epoch);
    if (view.revision >= revision && view.loadedAt > 0) return;
    const patience = this.#isShared ? Math.min(times.fenceAfter, 20) : times.fenceAfter;
    if (await view.waiters.until(revision, patience)) return;
    while (clock.monotonic() < deadline) {
      if (follower.state === 'following') await this.#probeByFence(revision);
      if (await view.waiters.until(revision, times.deadStream)) return;
    }
    const why = follower.trouble === '' ? 'the watch cache lags' : follower.trouble;
    throw new StorageError('unavailable', `revision ${revision} is not reached: ${why}`);
  }

  /** Waits until the state of a past of etcd is loaded, which is another one than the view has. */
  async #loadOfPast(epoch: number): Promise<void> {
    const { view, follower, times } = this.#deps;
    if (await view.pastWaiters.until(epoch, times.operation)) return;
    throw new StorageError('unavailable', `the state of etcd is loaded anew: ${follower.trouble}`);
  }

  /**
   * Resolves when the view has reached a revision newer than the call, or the stream was dropped.
   * @param wanted a view that has reached it meanwhile needs no fence
   * @throws StorageError if etcd takes no fence until an operator has acted: nothing can prove the progress of the view
   */
  async #probeByFence(wanted: Revision): Promise<void> {
    const { view, follower, times } = this.#deps;
    const connects = follower.counters.connects;
    const { revision, appliedRevisions } = view;
    const fence = await this.#fences.join().catch((error: unknown) => {
      const refused = toEtcdError(error, 'fence');
      if (refusesWrites(refused) && view.revision < wanted) throw toStorageError(refused);
      return undefined;
    });
    if (fence === undefined) return;
    const isAlive = await view.waiters.until(fence, times.deadStream);
    // Revisions without an event below the prefix are writes of other clients.
    if (isAlive) this.#isShared = view.appliedRevisions - appliedRevisions < view.revision - revision;
    const isSameStream = follower.state === 'following' && follower.counters.connects === connects;
    if (!isAlive && isSameStream) follower.distrustStream('the event of a fence key did not arrive');
  }

  #writeFence(): Promise<Revision> {
    this.#fenceCount += 1;
    return this.#deps.fences.make();
  }
}
