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
import type { LargeWrites } from '../http/writes/large-writes.ts';
import type { WriteAnswer, WriteRequest } from '../http/writes/write-request.ts';
import { StatusError, timedOut } from '../meta/status.ts';
import { joinSnapshots, type MetricSnapshot } from '../observe/metric-snapshot.ts';
import { objectKey } from '../registry/scope-keys.ts';
import type { RequestScope } from '../registry/types.ts';
import type { Credentials } from '../options/credentials.ts';
import { WriteLane, type LaneLimits, type LaneParts } from './write-lane.ts';
import { ThreadLost } from './write-thread.ts';

export interface WriteThreadLimits {
  /** Writes are large if body and object exceed this number of bytes. */
  readonly smallBytes: number;
  /** Larger writes run one at a time. */
  readonly sharedBytes: number;
  /** Limits of writes that share a thread; weights are bytes of body and object. */
  readonly shared: LaneLimits;
  /** Limits of writes that run alone; each has weight 1. */
  readonly alone: LaneLimits;
}

const megabyte = 1024 * 1024;
const lane = {
  ...{ maxWaiting: 1_000, maxWaitMs: 10_000, maxResumeMs: 5_000 },
  ...{ stallMs: 20_000, idleMs: 120_000 },
};
/** At most a thirtieth of a heap: a waiting write retains many times its size. */
const heldBytes = 8 * megabyte;

export const defaultWriteThreadLimits: WriteThreadLimits = {
  smallBytes: smallBodyBytes,
  sharedBytes: megabyte / 2,
  shared: { ...lane, heldBytes, total: 4 * megabyte, maxMegabytes: 256 },
  alone: { ...lane, heldBytes, total: 1, maxMegabytes: 320 },
};

export class WriteThreads implements LargeWrites {
  readonly #storage: LaneParts['storage'];
  readonly #limits: WriteThreadLimits;
  readonly #shared: WriteLane;
  readonly #alone: WriteLane;

  constructor(parts: LaneParts, limits: WriteThreadLimits = defaultWriteThreadLimits) {
    this.#storage = parts.storage;
    this.#limits = limits;
    this.#shared = new WriteLane(parts, limits.shared);
    this.#alone = new WriteLane(parts, limits.alone);
  }

  /** Number of running threads. */
  get running(): number {
    return [this.#shared, this.#alone].filter(({ isRunning }) => isRunning).length;
  }

  takes(write: WriteRequest, scope: RequestScope): boolean {
    return this.#weight(write, scope) > this.#limits.smallBytes;
  }

  async perform(write: WriteRequest, scope: RequestScope): Promise<WriteAnswer> {
    const weight = this.#weight(write, scope);
    if (weight > this.#limits.sharedBytes) return this.#performAlone(weight, write, scope);
    return this.#performShared(weight, write, scope);
  }

  /** The size after webhooks is unknown, so it has the maximum weight of a shared thread. */
  async performGrown(write: WriteRequest, scope: RequestScope): Promise<WriteAnswer> {
    return this.#performShared(this.#limits.sharedBytes, write, scope);
  }

  use(credentials: Credentials): void {
    this.#shared.use(credentials);
    this.#alone.use(credentials);
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

  /** Metrics of current and ended threads; undefined if there were none. */
  async scrape(): Promise<MetricSnapshot | undefined> {
    const lanes = await Promise.all([this.#shared.scrape(), this.#alone.scrape()]);
    const counted = lanes.flat();
    return counted.length === 0 ? undefined : joinSnapshots(counted);
  }

  /** Ends the threads. Idempotent. */
  async close(): Promise<void> {
    await Promise.all([this.#shared.close(), this.#alone.close()]);
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
      const message =
        'the request takes more memory or time to process than a request may: send less at once';
      throw new StatusError(413, 'RequestEntityTooLarge', message, { cause: error });
    }
  }

  /** Bytes of the body and the stored object. */
  #weight({ operation, name, body }: WriteRequest, scope: RequestScope): number {
    if (operation === 'create' || name === '') return body.length;
    const { collection } = scope.resource.storage;
    const stored = this.#storage.peek(collection, objectKey(scope, name));
    return body.length + (stored?.size ?? stored?.bytes.length ?? 0);
  }
}

function ambiguous(): StatusError {
  return timedOut('the write took too long; it may have taken effect', 1);
}
