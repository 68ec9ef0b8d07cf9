/**
 * Runs large writes in write threads, so that they do not block the serving thread: a body of 3 MB takes up to a
 * second to decode, validate and compare. The threads have a bounded heap, start on demand and end when idle.
 * Ordinary large writes never wait for the largest ones.
 *
 *   up to 512 KiB ─▶ several at once ─┬─▶ answer
 *                                     └─ thread lost, nothing stored yet ─▶ once more, as below
 *   larger        ─▶ one at a time ───┬─▶ answer
 *                                     ├─ thread lost, others were waiting in it ─▶ once more, with nothing beside it
 *                                     └─ thread lost ─▶ 413: this one took too much memory or time
 *
 * While a write waits for a webhook, others run, as long as the memory of the thread allows.
 */
import { smallBodyBytes } from '../codec/limits.ts';
import type { FormOrder, LargeForms } from '../http/representation/large-forms.ts';
import type { LargeWrites } from '../http/writes/large-writes.ts';
import type { WriteAnswer, WriteRequest } from '../http/writes/write-request.ts';
import { StatusError, timedOut } from '../meta/status.ts';
import type { MetricSnapshot } from '../observe/metric-snapshot.ts';
import { objectKey } from '../registry/scope-keys.ts';
import type { RequestScope } from '../registry/types.ts';
import { sizeOf } from '../storage/size.ts';
import type { Entry } from '../storage/types.ts';
import type { Credentials } from '../options/credentials.ts';
import { WriteLane, type LaneLimits, type LaneParts, type Requester } from './write-lane.ts';
import { costsMoreThan } from './write-cost.ts';
import { ThreadLost } from './write-thread.ts';

export interface WriteThreadLimits {
  /** Writes are large if body, by its cost, and object exceed this number of bytes. */
  readonly smallBytes: number;
  /** Larger writes run one at a time. */
  readonly sharedBytes: number;
  /** Limits of writes that share a thread; weights are bytes of body and object. */
  readonly shared: LaneLimits;
  /** Limits of writes that run alone; each has weight 1. */
  readonly alone: LaneLimits;
  /** Limits of forms of large objects; each has weight 1. */
  readonly forms: LaneLimits;
}

const megabyte = 1024 * 1024;
const lane = {
  ...{ maxWaiting: 1_000, maxWaitMs: 10_000, maxResumeMs: 5_000 },
  ...{ stallMs: 20_000, restMs: 3_000, idleMs: 120_000 },
};
/** At most a thirtieth of a heap: a waiting write retains many times its size. */
const heldBytes = 8 * megabyte;

export const defaultWriteThreadLimits: WriteThreadLimits = {
  smallBytes: smallBodyBytes,
  sharedBytes: megabyte / 2,
  shared: { ...lane, heldBytes, total: 4 * megabyte, maxMegabytes: 256 },
  alone: { ...lane, heldBytes, total: 1, maxMegabytes: 320 },
  // A list that waits has begun its answer: it ends with its request.
  forms: { ...lane, heldBytes, total: 1, maxMegabytes: 320, maxWaitMs: 60_000 },
};

export class WriteThreads implements LargeWrites, LargeForms {
  readonly #storage: LaneParts['storage'];
  readonly #limits: WriteThreadLimits;
  readonly #shared: WriteLane;
  readonly #alone: WriteLane;
  readonly #forms: WriteLane;

  constructor(parts: LaneParts, limits: WriteThreadLimits = defaultWriteThreadLimits) {
    this.#storage = parts.storage;
    this.#limits = limits;
    this.#shared = new WriteLane(parts, limits.shared);
    this.#alone = new WriteLane(parts, limits.alone);
    this.#forms = new WriteLane(parts, limits.forms);
  }

  /** Number of running threads. */
  get running(): number {
    return this.#lanes.filter(({ isRunning }) => isRunning).length;
  }

  get #lanes(): readonly WriteLane[] {
    return [this.#shared, this.#alone, this.#forms];
  }

  takes(write: WriteRequest, scope: RequestScope): boolean {
    const { smallBytes } = this.#limits;
    const others = this.#weight(write, scope) - write.body.length;
    return costsMoreThan(write, smallBytes - others);
  }

  async perform(write: WriteRequest, scope: RequestScope): Promise<WriteAnswer> {
    const weight = this.#weight(write, scope);
    if (weight > this.#limits.sharedBytes) return this.#performAlone(weight, write, scope);
    return this.#performShared(weight, write, scope);
  }

  /** The size after webhooks is unknown, so it has at least the maximum weight of a shared thread. */
  async performGrown(write: WriteRequest, scope: RequestScope): Promise<WriteAnswer> {
    const weight = this.#weight(write, scope);
    if (weight > this.#limits.sharedBytes) return this.#performAlone(weight, write, scope);
    return this.#performShared(this.#limits.sharedBytes, write, scope);
  }

  /** One at a time: if the thread is lost, this was the cause. */
  async make(order: FormOrder, entry: Entry, scope: Requester): Promise<Buffer> {
    try {
      return await this.#forms.make(order, entry, scope);
    } catch (error) {
      throw error instanceof ThreadLost ? tooCostly(error) : error;
    }
  }

  use(credentials: Credentials): void {
    for (const one of this.#lanes) one.use(credentials);
  }

  async #performShared(weight: number, write: WriteRequest, scope: RequestScope): Promise<WriteAnswer> {
    try {
      return await this.#shared.perform({ weight, bytes: weight }, write, scope);
    } catch (error) {
      if (!(error instanceof ThreadLost)) throw error;
      if (error.mayBeWritten) throw ambiguous();
      return this.#performAlone(weight, write, scope);
    }
  }

  /** Metrics of current and ended threads, not added up; empty if there were none. */
  async scrape(): Promise<MetricSnapshot> {
    return (await Promise.all(this.#lanes.map((one) => one.scrape()))).flat();
  }

  /** Ends the threads. Idempotent. */
  async close(): Promise<void> {
    await Promise.all(this.#lanes.map((one) => one.close()));
  }

  /**
   * If a thread is lost with a single write, that write is the cause.
   * @throws StatusError 413
   */
  async #performAlone(bytes: number, write: WriteRequest, scope: RequestScope): Promise<WriteAnswer> {
    try {
      return await this.#alone.perform({ weight: 1, bytes }, write, scope);
    } catch (error) {
      if (!(error instanceof ThreadLost)) throw error;
      if (error.mayBeWritten) throw ambiguous();
      if (!error.wasAlone) return this.#performAlone(this.#limits.alone.heldBytes, write, scope);
      throw tooCostly(error);
    }
  }

  /** Bytes of the body and the stored object, as the version of the request shows it where that is known. */
  #weight({ operation, name, body }: WriteRequest, scope: RequestScope): number {
    if (operation === 'create' || name === '') return body.length;
    const { conversion, storage } = scope.resource;
    const stored = this.#storage.peek(storage.collection, objectKey(scope, name));
    if (!stored) return body.length;
    return body.length + sizeOf(conversion.stored?.known(stored) ?? stored);
  }
}

function ambiguous(): StatusError {
  return timedOut('the write took too long; it may have taken effect', 1);
}

function tooCostly(cause: ThreadLost): StatusError {
  const message = 'the request takes more memory or time to process than a request may: send less at once';
  return new StatusError(413, 'RequestEntityTooLarge', message, { cause });
}
