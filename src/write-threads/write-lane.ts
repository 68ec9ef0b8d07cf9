/** A write thread with a queue that is fair between users. The thread is started on demand and ends when idle. */
import type { QueueRefusal } from '../base/fair-queue.ts';
import type { FormOrder } from '../http/representation/large-forms.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { WriteAnswer, WriteRequest } from '../http/writes/write-request.ts';
import { serviceUnavailable, tooManyRequests } from '../meta/status.ts';
import { joinSnapshots, type MetricSnapshot } from '../observe/metric-snapshot.ts';
import type { Credentials } from '../options/credentials.ts';
import type { RequestScope } from '../registry/types.ts';
import { sizeOf } from '../storage/size.ts';
import type { CollectionId, Entry } from '../storage/types.ts';
import { copiedMegabytes } from './copied-state.ts';
import { LanePlaces, type Load, type Place, type PlaceLimits } from './lane-places.ts';
import { WriteThread, type ThreadLimits, type ThreadParts } from './write-thread.ts';

export interface LaneLimits extends ThreadLimits, PlaceLimits {}

/** Who waits for something, and for how long. */
export type Requester = Pick<RequestScope, 'user' | 'signal'>;

export interface LaneParts extends Omit<ThreadParts, 'limits' | 'onGone'> {
  /** The collections of which a thread has a copy; its heap has room for them. */
  readonly copies: readonly CollectionId[];
}

export class WriteLane {
  readonly #parts: LaneParts;
  readonly #limits: LaneLimits;
  readonly #places: LanePlaces;
  #credentials: Credentials;
  #thread: WriteThread | undefined;
  #starting: Promise<WriteThread> | undefined;
  /** Metrics of ended threads. */
  #departed: Promise<MetricSnapshot> | undefined;
  #closed = false;

  constructor(parts: LaneParts, limits: LaneLimits) {
    this.#parts = parts;
    this.#limits = limits;
    this.#credentials = parts.credentials;
    this.#places = new LanePlaces(limits);
  }

  /** Whether its thread is running. */
  get isRunning(): boolean {
    return this.#thread !== undefined;
  }

  /** @throws StatusError 429, 503, errors of the write, ThreadLost */
  async perform(load: Omit<Load, 'flow'>, write: WriteRequest, scope: RequestScope): Promise<WriteAnswer> {
    return this.#run(load, scope, (thread, place) => thread.perform(write, scope, place));
  }

  /** @throws StatusError 429, 503, ThreadLost */
  async make(order: FormOrder, entry: Entry, scope: Requester): Promise<Buffer> {
    const load = { weight: 1, bytes: sizeOf(entry) };
    const { signal } = scope;
    return this.#run(load, scope, (thread, place) => thread.make(order, entry, { signal, place }));
  }

  async #run<T>(
    load: Omit<Load, 'flow'>,
    { signal, user }: Requester,
    work: (thread: WriteThread, place: Place) => Promise<T>,
  ): Promise<T> {
    const place = await this.#place({ ...load, flow: user.name }, signal);
    if (typeof place === 'string')
      throw tooManyRequests('too many large objects are being processed, please try again later', 1);
    try {
      signal.throwIfAborted();
      return await work(await this.#running(), place);
    } finally {
      place.end();
    }
  }

  async #place(load: Load, signal: AbortSignal): Promise<Place | QueueRefusal> {
    const waiting = new AbortController();
    const onClose = (action: () => void): void => {
      signal.addEventListener('abort', action, { once: true, signal: waiting.signal });
    };
    try {
      return await this.#places.take(load, { onClose });
    } finally {
      // A deletion of a collection asks for each of its objects.
      waiting.abort();
    }
  }

  use(credentials: Credentials): void {
    this.#credentials = credentials;
    this.#thread?.use(credentials);
  }

  /** Metrics of current and ended threads; empty if there were none. */
  async scrape(): Promise<MetricSnapshot> {
    const live = this.#thread ? await this.#thread.scrape() : [];
    const departed = this.#departed ? await this.#departed : [];
    return [...live, ...departed];
  }

  /** Ends the thread. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#starting?.catch(() => undefined);
    await this.#thread?.close();
  }

  /** @throws StatusError 503 once it is closed, or where no thread can be started */
  #running(): MaybePromise<WriteThread> {
    this.#assertOpen();
    if (this.#thread) return this.#thread;
    return (this.#starting ??= this.#start().finally(() => (this.#starting = undefined)));
  }

  async #start(): Promise<WriteThread> {
    const { storage, copies } = this.#parts;
    const copied = await copiedMegabytes(storage, copies);
    this.#assertOpen();
    const limits = { ...this.#limits, maxMegabytes: this.#limits.maxMegabytes + copied };
    return (this.#thread = this.#newThread(limits));
  }

  /** @throws StatusError 503 where the system has no thread or memory left, which may pass */
  #newThread(limits: ThreadLimits): WriteThread {
    try {
      return new WriteThread({
        ...this.#parts,
        credentials: this.#credentials,
        limits,
        onGone: (gone) => {
          this.#forget(gone);
        },
      });
    } catch (error) {
      this.#parts.logger.error('a write thread cannot be started', { err: error });
      throw serviceUnavailable('no thread can be started for large objects, please try again later');
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw serviceUnavailable('the server is stopping');
  }

  #forget(thread: WriteThread): void {
    if (this.#thread === thread) this.#thread = undefined;
    const { counted } = thread;
    if (counted.length === 0) return;
    this.#departed = Promise.resolve(this.#departed ?? []).then((before) =>
      joinSnapshots([...before, ...counted]),
    );
  }
}
