/** One watch: what it wants, how far it is, and delivery that a failing subscriber cannot break for others. */
import type { Clock } from '../../base/clock.ts';
import type { StorageLogger } from '../options.ts';
import {
  StorageError,
  type CollectionSnapshot,
  type Revision,
  type StoredEvent,
  type WatchOptions,
  type WatchSubscriber,
} from '../types.ts';

/** The abort reason of ended watches; shared, as creating one captures a stack trace. */
const watchIsOver = new DOMException('the watch is over', 'AbortError');

/**
 * starting ◀──▶ live ──▶ over
 *     └───────────────────▲
 *
 * starting  finding the start, replaying older events, or behind; events are pulled
 * live      the fan-out pushes events
 * over      closed by the client, rejected, or ended; it gets nothing more, but for the reason of its end
 */
export type SubscriptionState = 'starting' | 'live' | 'over';

interface SubscriptionDependencies {
  readonly clock: Clock;
  readonly logger: StorageLogger;
  readonly onOver: (subscription: Subscription) => void;
}

export class Subscription {
  readonly options: WatchOptions;
  readonly #subscriber: WatchSubscriber;
  readonly #clock: Clock;
  readonly #logger: StorageLogger;
  readonly #onOver: (subscription: Subscription) => void;
  readonly #ending = new AbortController();
  readonly #abort = (): void => {
    this.close();
  };
  #state: SubscriptionState = 'starting';
  /** All matching events up to this revision are delivered. */
  #position: Revision = 0;
  #isEstablished = false;
  #isClosed = false;

  constructor(
    options: WatchOptions,
    subscriber: WatchSubscriber,
    { clock, logger, onOver }: SubscriptionDependencies,
  ) {
    this.options = options;
    this.#subscriber = subscriber;
    this.#clock = clock;
    this.#logger = logger;
    this.#onOver = onOver;
    options.signal.addEventListener('abort', this.#abort);
    if (options.signal.aborted) this.close();
  }

  get state(): SubscriptionState {
    return this.#state;
  }

  get position(): Revision {
    return this.#position;
  }

  /** Aborted when the watch ends. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  matches(key: string): boolean {
    const { prefix, exactKey } = this.options;
    return exactKey === true ? key === prefix : key.startsWith(prefix);
  }

  /** The start is established: notifies the subscriber once. */
  establish(initial: CollectionSnapshot | undefined, position: Revision): void {
    if (this.#isEstablished || this.#state === 'over') return;
    this.#isEstablished = true;
    this.#position = position;
    this.#guard(() => {
      this.#subscriber.onEstablished();
      if (initial !== undefined) this.#subscriber.onInitial(initial);
    });
  }

  goLive(): void {
    if (this.#state === 'starting') this.#state = 'live';
  }

  /** The queue of the fan-out is full. */
  fallBehind(): void {
    if (this.#state === 'live') this.#state = 'starting';
  }

  /** Delivers the events after its position; they are in order and match. `until` is the new position. */
  deliver(events: readonly StoredEvent[], until: Revision): void {
    if (this.#state === 'over') return;
    const isFresh = (events[0]?.revision ?? Infinity) > this.#position;
    const fresh = isFresh ? events : events.filter((event) => event.revision > this.#position);
    if (until > this.#position) this.#position = until;
    if (fresh.length > 0) this.#guard(() => this.#subscriber.onEvents(fresh));
  }

  /** Delivers those of the events that it wants, as `deliver`. */
  deliverMatching(events: readonly StoredEvent[], until: Revision): void {
    const wanted = events.filter((event) => this.matches(event.key));
    this.deliver(wanted, until);
  }

  progress(revision: Revision): void {
    if (this.#state !== 'live' || revision < this.#position) return;
    this.#position = revision;
    this.#guard(() => this.#subscriber.onProgress(revision));
  }

  /** Resolves when the subscriber accepts more, or the watch ends. */
  async ready(): Promise<void> {
    if (this.#state === 'over') return;
    const { promise: over, resolve } = Promise.withResolvers<undefined>();
    const end = (): void => resolve(undefined);
    this.signal.addEventListener('abort', end);
    try {
      await Promise.race([this.#subscriber.ready(), over]);
    } finally {
      // A watch asks often in its life.
      this.signal.removeEventListener('abort', end);
    }
  }

  /** Like `ready`, with a timeout of `ms`; resolves with whether it is ready. */
  async readyWithin(ms: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = this.#clock.setTimeout(() => {
      resolve(false);
    }, ms);
    const ready = this.ready().then(() => true);
    return Promise.race([ready, promise]).finally(() => {
      this.#clock.clear(timer);
    });
  }

  /** Delivers nothing more; `end` or `close` follows. */
  stop(): void {
    this.#state = 'over';
  }

  /** Gives its subscriber the reason, unless it has ended before. */
  end(reason: StorageError): void {
    if (this.#isClosed) return;
    this.close();
    try {
      this.#subscriber.onEnd(reason);
    } catch (error) {
      this.#logger.error({ error: String(error) }, 'a watcher threw at its end');
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.stop();
    this.options.signal.removeEventListener('abort', this.#abort);
    this.#ending.abort(watchIsOver);
    this.#onOver(this);
  }

  #guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#logger.error({ error: String(error) }, 'a watcher threw and is ended');
      this.end(new StorageError('watcherFailed', 'the watcher failed', { cause: error }));
    }
  }
}
