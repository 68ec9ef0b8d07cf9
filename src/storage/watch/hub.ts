/**
 * Starts watches and feeds them. A start at a recent revision is a look-up in the ring of the collection; an older
 * one is replayed from the etcd history up to the ring, which is then extended: after a restart many watches
 * reconnect at once, and only the first few need etcd. Then the watch joins the fan-out: there is no etcd stream per
 * watch.
 */
import type { Clock } from '../../base/clock.ts';
import { SharedSlice, written } from '../../base/cooperate.ts';
import { FewATurn } from '../../base/few-a-turn.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { toStorageError } from '../etcd/etcd-error.ts';
import type { ConsistentReads } from '../consistent-reads.ts';
import type { StorageLimits, StorageLogger } from '../options.ts';
import type { Reads } from '../reads.ts';
import {
  StorageError,
  type CollectionId,
  type Revision,
  type StoredEvent,
  type WatchHandle,
  type WatchOptions,
  type WatchSubscriber,
} from '../types.ts';
import type { UnreadableEntry } from '../view/entry-reader.ts';
import type { View } from '../view/view.ts';
import { FanOut } from './fan-out.ts';
import type { ReplayDependencies } from './history-replay.ts';
import { portions } from './portions.ts';
import type { RecentEvents } from './recent-events.ts';
import { SharedReplays } from './shared-replays.ts';
import { Subscription } from './subscription.ts';

/** Events taken from the ring per step. */
const ringSlice = 100;
/** The end of a watch takes up to 0.1 ms, with the error that its client gets. */
const endsOfTurn = 32;

export interface HubDependencies {
  readonly clock: Clock;
  readonly view: View;
  readonly reads: Reads;
  readonly freshness: ConsistentReads;
  readonly recent: RecentEvents;
  readonly replay: ReplayDependencies;
  readonly limits: StorageLimits;
  readonly logger: StorageLogger;
}

export class WatchHub {
  readonly #deps: HubDependencies;
  readonly #fanOut = new FanOut({
    onBehind: (subscription, from) => {
      subscription.fallBehind();
      this.#starting.add(subscription);
      void this.#attempt(subscription, () => this.#join(subscription, from));
    },
  });
  readonly #starting = new Set<Subscription>();
  readonly #replays: SharedReplays;
  /** Catching up may scan many events that a watch filters out, without backpressure from a client. */
  readonly #slice = new SharedSlice();
  readonly #ending = new FewATurn(endsOfTurn);
  #isClosed = false;

  constructor(deps: HubDependencies) {
    this.#deps = deps;
    const { recent, replay, limits, view } = deps;
    this.#replays = new SharedReplays(
      { recent, replay, limits, slice: this.#slice, epoch: () => view.past.epoch },
      new Semaphore(limits.replays),
    );
  }

  get counters(): { readonly watches: number; readonly replays: number; readonly undelivered: number } {
    const { size, undelivered } = this.#fanOut;
    return { watches: size + this.#starting.size, replays: this.#replays.count, undelivered };
  }

  /** Starts a watch; the subscriber is called from the next turn on. */
  watch(options: WatchOptions, subscriber: WatchSubscriber): WatchHandle {
    const onOver = (over: Subscription): void => {
      this.#starting.delete(over);
      this.#fanOut.remove(over);
    };
    const { clock, logger } = this.#deps;
    const subscription = new Subscription(options, subscriber, { clock, logger, onOver });
    if (subscription.state !== 'over') {
      this.#starting.add(subscription);
      void this.#start(subscription);
    }
    return { close: () => subscription.close() };
  }

  publish(changes: readonly StoredEvent[], revision: Revision): void {
    if (changes.length > 0) this.#fanOut.publish(changes, revision);
  }

  /** Sends progress notifications to all watches. */
  tick(): void {
    if (this.#deps.view.loadedAt > 0) this.#fanOut.publish([], this.#deps.view.revision);
  }

  /** Ends all watches, when history is lost or the storage is stopping. */
  endAll(reason: StorageError): void {
    this.#endEach(reason, () => true);
  }

  /** Ends all watches of a collection, whose history is lost. */
  endCollection(collection: CollectionId, reason: StorageError): void {
    this.#endEach(reason, ({ options }) => options.collection === collection);
  }

  /** Ends those watches of a collection that then list again. @returns whether there are others */
  endRelisting(collection: CollectionId, reason: StorageError): boolean {
    let others = false;
    this.#endEach(reason, ({ options }) => {
      if (options.collection !== collection) return false;
      if (options.relists !== true) others = true;
      return options.relists === true;
    });
    return others;
  }

  /** Ends the watches that would miss a change of this object. */
  endWatchesOf({ collection, key }: UnreadableEntry, reason: StorageError): void {
    this.#endEach(
      reason,
      (subscription) => subscription.options.collection === collection && subscription.matches(key),
    );
  }

  /** None gets anything more from now on; a few in a turn get the reason. */
  #endEach(reason: StorageError, isOver: (subscription: Subscription) => boolean): void {
    for (const subscription of [...this.#fanOut.all(), ...this.#starting]) {
      if (subscription.state === 'over' || !isOver(subscription)) continue;
      subscription.stop();
      this.#ending.add(() => subscription.end(reason));
    }
  }

  close(): void {
    this.#isClosed = true;
    this.endAll(new StorageError('stopped', 'the storage is stopping'));
  }

  #start(subscription: Subscription): Promise<void> {
    return this.#attempt(subscription, async () => {
      await this.#deps.freshness.loaded();
      if (this.#isClosed) throw new StorageError('stopped', 'the storage is stopping');
      const { start } = subscription.options;
      if (start.kind === 'after') await this.#startAfter(subscription, start.revision);
      else await this.#startWithState(subscription, start.freshness);
    });
  }

  async #attempt(subscription: Subscription, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      subscription.end(toStorageError(error));
    }
  }

  /**
   * A revision that is not reached in time is rejected: after a restore of etcd it may belong to another history, and
   * a watch that waits for it would silently miss all events until then.
   */
  async #startAfter(subscription: Subscription, revision: Revision): Promise<void> {
    const { freshness, view } = this.#deps;
    await freshness.notOlderThan(revision);
    const oldest = view.trustedFrom(subscription.options.collection);
    if (revision < oldest) {
      const message = `events before revision ${oldest} were missing here: list again`;
      throw new StorageError('compacted', message, { revision: oldest });
    }
    await this.#join(subscription, revision);
  }

  async #startWithState(
    subscription: Subscription,
    freshness: Parameters<Reads['snapshot']>[1],
  ): Promise<void> {
    const { collection } = subscription.options;
    const snapshot = await this.#deps.reads.snapshot(collection, freshness, subscription.signal);
    subscription.establish(snapshot, snapshot.revision);
    // Events are not buffered for a subscriber that is busy with the initial state: they are looked up afterwards.
    await subscription.ready();
    await this.#join(subscription, snapshot.revision);
  }

  /**
   * Catches up from a revision and goes live. There is no await between the last look-up in the ring and going live.
   */
  async #join(subscription: Subscription, from: Revision): Promise<void> {
    const { view, recent } = this.#deps;
    const { collection } = subscription.options;
    let position = from;
    while (subscription.state !== 'over') {
      if (this.#slice.shouldYield()) await this.#slice.yieldNow();
      const ring = recent.ring(collection);
      if (position < ring.floor) {
        position = await this.#replays.reach(subscription, position);
        await subscription.ready();
        continue;
      }
      subscription.establish(undefined, position);
      const [events = []] = portions(ring.after(position, ringSlice));
      const last = events.at(-1)?.revision;
      subscription.deliverMatching(events, last ?? position);
      if (last === undefined || last === ring.last) {
        subscription.deliver([], view.revision);
        this.#goLive(subscription);
        return;
      }
      position = last;
      await written();
      await subscription.ready();
    }
  }

  #goLive(subscription: Subscription): void {
    this.#starting.delete(subscription);
    if (subscription.state === 'over') return;
    subscription.goLive();
    this.#fanOut.add(subscription);
    // A watch that ends soon should get a recent revision to resume from.
    subscription.progress(subscription.position);
  }
}
