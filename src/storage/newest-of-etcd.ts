/**
 * The newest revision of etcd, by a quorum probe: a range of one small key, of which only the response header is used.
 * Only events prove the progress of the view; progress notifications of etcd may overtake events. If the view does not
 * reach a probed revision in time, either other clients write to this etcd outside of the prefix, or the stream is dead. A
 * write to a fence key decides: its event arrives, or the follower opens another stream.
 */
import type { Clock } from '../base/clock.ts';
import { SharedCall } from '../base/shared-call.ts';
import type { EtcdClient } from './etcd/client.ts';
import { refusesWrites, toEtcdError, toStorageError } from './etcd/etcd-error.ts';
import { numberOf } from './etcd/etcd-messages.ts';
import type { Fences } from './fences.ts';
import type { Follower } from './follower.ts';
import type { KeySpace } from './keys.ts';
import type { Newest, Told } from './newest.ts';
import type { StorageTimes } from './options.ts';
import { StorageError, type Revision } from './types.ts';
import type { View } from './view/view.ts';

export interface NewestOfEtcdDependencies {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly view: View;
  readonly fences: Fences;
  readonly follower: Follower;
  readonly times: StorageTimes;
  readonly clock: Clock;
}

export class NewestOfEtcd implements Newest {
  readonly #deps: NewestOfEtcdDependencies;
  readonly #fences = new SharedCall<Revision>(() => this.#writeFence());
  #fenceCount = 0;
  /** Other clients write to this etcd: waiting for the view before writing a fence is then useless. */
  #isShared = false;

  constructor(deps: NewestOfEtcdDependencies) {
    this.#deps = deps;
  }

  get fences(): number {
    return this.#fenceCount;
  }

  async ask(): Promise<Told> {
    const { client, keys } = this.#deps;
    const request = { key: keys.fence(), count_only: true };
    const options = { operation: 'probe', isOfAnyPast: true };
    const answer = await client.range(request, options).catch((error: unknown) => {
      throw toStorageError(error);
    });
    return { revision: numberOf(answer.header.revision), epoch: client.epoch };
  }

  async reach({ revision, epoch }: Told): Promise<void> {
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
