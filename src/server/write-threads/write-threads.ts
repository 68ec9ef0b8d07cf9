/**
 * Large writes are carried out by threads of their own, so that the serving thread never works on one for long: a body
 * of 3 MB takes up to a second to decode, validate and compare. The threads have a bounded heap, are started when they
 * are needed and end when they are not; one that runs out of memory or hangs takes only its own writes with it.
 *
 *   request ─▶ budget of the threads (fair between users) ─▶ thread ─▶ answer
 *                                                             │ lost before anything was stored: once more, alone
 *                                                             └ lost again: 413
 */
import { availableParallelism } from 'node:os';
import { FairBudget } from '../../base/fair-budget.ts';
import { smallBodyBytes } from '../../codec/limits.ts';
import type { LargeWrites } from '../../http/writes/carry-out.ts';
import type { WriteAnswer, WriteRequest } from '../../http/writes/write-request.ts';
import { StatusError, timedOut, tooManyRequests } from '../../meta/status.ts';
import { joinSnapshots, type MetricSnapshot } from '../../observe/snapshot.ts';
import { objectKey } from '../../registry/scope-keys.ts';
import type { RequestScope } from '../../registry/types.ts';
import type { Credentials } from '../serving.ts';
import { ThreadLost, WriteThread, type ThreadLimits, type ThreadParts } from './write-thread.ts';

export interface WriteThreadLimits extends ThreadLimits {
  readonly threads: number;
  /** Writes are large whose body, or whose object, has more bytes than this. */
  readonly smallBytes: number;
  /** Bytes of bodies and objects that all threads work on at once. */
  readonly totalBytes: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
}

const megabyte = 1024 * 1024;

export const defaultWriteThreadLimits: WriteThreadLimits = {
  threads: Math.min(2, Math.max(1, availableParallelism() - 1)),
  smallBytes: smallBodyBytes,
  totalBytes: 8 * megabyte,
  maxWaiting: 1_000,
  maxWaitMs: 10_000,
  maxMegabytes: 512,
  stallMs: 20_000,
  idleMs: 120_000,
};

export type WriteThreadsParts = Omit<ThreadParts, 'limits' | 'onGone'>;

export class WriteThreads implements LargeWrites {
  readonly #parts: WriteThreadsParts;
  readonly #limits: WriteThreadLimits;
  readonly #budget: FairBudget;
  readonly #threads = new Set<WriteThread>();
  #credentials: Credentials;
  /** What threads had counted that are gone. */
  #departed: Promise<MetricSnapshot> = Promise.resolve([]);
  #hasDeparted = false;
  #closed = false;

  constructor(parts: WriteThreadsParts, limits: WriteThreadLimits = defaultWriteThreadLimits) {
    this.#parts = parts;
    this.#limits = limits;
    this.#credentials = parts.credentials;
    const { totalBytes: total, maxWaiting } = limits;
    this.#budget = new FairBudget({ total, perFlow: total / 2, maxWaiting });
  }

  /** Threads that are there now; for tests. */
  get running(): number {
    return this.#threads.size;
  }

  takes(write: WriteRequest, scope: RequestScope): boolean {
    const { smallBytes } = this.#limits;
    return write.body.length > smallBytes || this.#storedBytes(write, scope) > smallBytes;
  }

  async perform(write: WriteRequest, scope: RequestScope): Promise<WriteAnswer> {
    const weight = write.body.length + this.#storedBytes(write, scope);
    try {
      return await this.#within(weight, write, scope);
    } catch (error) {
      if (!(error instanceof ThreadLost)) throw error;
      if (error.mayBeWritten) throw timedOut('the write took too long; it may have taken effect', 1);
      return this.#alone(write, scope);
    }
  }

  use(credentials: Credentials): void {
    this.#credentials = credentials;
    for (const thread of this.#threads) thread.use(credentials);
  }

  /** What the threads have counted, of now and before; undefined: there was none. */
  async scrape(): Promise<MetricSnapshot | undefined> {
    if (this.#threads.size === 0 && !this.#hasDeparted) return undefined;
    const live = await Promise.all([...this.#threads].map((thread) => thread.scrape()));
    return joinSnapshots([...live, await this.#departed]);
  }

  /** Ends the threads. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }

  /** A write that was lost may be the one that took all memory: it gets no company. @throws StatusError 413 */
  async #alone(write: WriteRequest, scope: RequestScope): Promise<WriteAnswer> {
    try {
      return await this.#within(this.#limits.totalBytes, write, scope);
    } catch (error) {
      if (!(error instanceof ThreadLost)) throw error;
      if (error.mayBeWritten) throw timedOut('the write took too long; it may have taken effect', 1);
      const message =
        'the request takes more memory or time to process than a request may: send less at once';
      throw new StatusError(413, 'RequestEntityTooLarge', message, { cause: error });
    }
  }

  async #within(weight: number, write: WriteRequest, scope: RequestScope): Promise<WriteAnswer> {
    const flow = scope.user.name;
    const { signal } = scope;
    const holder = {
      onClose: (action: () => void) => {
        signal.addEventListener('abort', action, { once: true });
      },
    };
    const refusal = await this.#budget.take(flow, weight, holder, this.#limits.maxWaitMs);
    if (refusal !== undefined)
      throw tooManyRequests('too many large writes are being processed, please try again later', 1);
    try {
      signal.throwIfAborted();
      return await this.#thread().perform(write, scope);
    } finally {
      this.#budget.give(flow, weight);
    }
  }

  /** The one with the least to do; another one as long as all are busy and there may be more. */
  #thread(): WriteThread {
    if (this.#closed) throw new Error('the write threads are closed');
    const [least] = [...this.#threads].sort((a, b) => a.load - b.load);
    if (least && (least.load === 0 || this.#threads.size >= this.#limits.threads)) return least;
    const thread = new WriteThread({
      ...this.#parts,
      credentials: this.#credentials,
      limits: this.#limits,
      onGone: (gone) => this.#forget(gone),
    });
    this.#threads.add(thread);
    return thread;
  }

  #forget(thread: WriteThread): void {
    this.#threads.delete(thread);
    const { counted } = thread;
    if (counted.length === 0) return;
    this.#hasDeparted = true;
    this.#departed = this.#departed.then((before) => joinSnapshots([before, counted]));
  }

  #storedBytes({ operation, name }: WriteRequest, scope: RequestScope): number {
    if (operation === 'create' || name === '') return 0;
    const { collection } = scope.resource.storage;
    return this.#parts.storage.peek(collection, objectKey(scope, name))?.size ?? 0;
  }
}
