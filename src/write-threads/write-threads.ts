/**
 * Large writes are carried out by threads of their own, so that the serving thread never works on one for long: a body
 * of 3 MB takes up to a second to decode, validate and compare. The threads have a bounded heap, are started when they
 * are needed and end when they are not. Ordinary large writes never wait for the largest ones.
 *
 *   up to 512 KiB ─▶ several at once ─┬─▶ answer
 *                                     └─ thread lost, nothing stored yet ─▶ once more, as below
 *   larger        ─▶ one at a time ───┬─▶ answer
 *                                     ├─ thread lost, others were waiting in it ─▶ once more, with nothing beside it
 *                                     └─ thread lost ─▶ 413: this one took too much memory or time
 *
 * Writes that wait for a webhook are not worked on: meanwhile others are, as long as the thread can hold them all.
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
  /** Writes are large whose body and object have more bytes than this. */
  readonly smallBytes: number;
  /** Larger ones are worked on one at a time. */
  readonly sharedBytes: number;
  /** Of writes that share a thread; weighed in bytes of body and object. */
  readonly shared: LaneLimits;
  /** Of writes that are worked on with nothing beside them; each weighs 1. */
  readonly alone: LaneLimits;
}

const megabyte = 1024 * 1024;
const lane = {
  ...{ maxWaiting: 1_000, maxWaitMs: 10_000, maxResumeMs: 5_000 },
  ...{ stallMs: 20_000, idleMs: 120_000 },
};
/** A thirtieth of a heap, or less: what a write keeps while it waits is many times as long as what was sent. */
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

  /** How many threads are there now. */
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

  /** What webhooks make of it is not known before: it weighs as much as a write may that shares a thread. */
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

  /** What the threads have counted, of now and before; undefined: there was none. */
  async scrape(): Promise<MetricSnapshot | undefined> {
    const lanes = await Promise.all([this.#shared.scrape(), this.#alone.scrape()]);
    const counted = lanes.flat();
    return counted.length === 0 ? undefined : joinSnapshots(counted);
  }

  /** Ends the threads. Idempotent. */
  async close(): Promise<void> {
    await Promise.all([this.#shared.close(), this.#alone.close()]);
  }

  /** When a thread is lost in which there was nothing else, nothing else took it. @throws StatusError 413 */
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

  /** Bytes of the body and of the object as it is stored. */
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
