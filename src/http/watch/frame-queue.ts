/**
 * The frames of a watch that cannot be written at once, in their order. One that another thread makes holds back those
 * behind it. Large ones go out in pieces at the pace of the client: what 1,000 watches show of an object of 3 MB would
 * otherwise wait 1,000 times in memory.
 */
import type { Clock, Timer } from '../../base/clock.ts';
import { SharedSlice, written } from '../../base/cooperate.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { WaitingFrames, type WaitingObject } from './waiting-frames.ts';

interface GivenFrame {
  readonly making: MaybePromise<Buffer>;
  /** What it shows, the same for all watches that show it. */
  readonly object: object;
  /** Bytes of the object. */
  readonly bytes: number;
  readonly onWritten: (frame: Buffer) => void;
}

interface QueuedFrame extends Omit<GivenFrame, 'object'> {
  readonly waits: WaitingObject;
}

export interface FrameQueueParts {
  readonly clock: Clock;
  /** The bytes of a frame as the client gets them. */
  readonly sent: (frame: Buffer) => readonly Buffer[];
  readonly write: (bytes: Buffer) => void;
  /** Resolves when the client has read what waits, or is gone. */
  readonly drained: () => Promise<void>;
  /** Maximum time for a frame to be made and read, in milliseconds. */
  readonly maxWaitMs: number;
  /** Maximum bytes of the objects whose frames wait in all queues; each counts once. */
  readonly mostBytes: number;
  /** A frame was not made or not read in time; the queue is of no use any more. */
  readonly onFailed: () => void;
}

/** Longer frames go through the queue. */
export const largeFrameBytes = 256 * 1024;
const pieceBytes = 64 * 1024;
/** Of all queues: a frame that is made elsewhere is one that thousands wait for. */
const passing = new SharedSlice();
/** Of all queues. */
const waiting = new WaitingFrames();

export class FrameQueue {
  readonly #parts: FrameQueueParts;
  #queued: QueuedFrame[] = [];
  #bytes = 0;
  #isClosed = false;
  /** A part of the first frame is written. */
  #isBegun = false;
  #emptied: PromiseWithResolvers<undefined> | undefined;
  #overdue: Timer | undefined;

  constructor(parts: FrameQueueParts) {
    this.#parts = parts;
  }

  get length(): number {
    return this.#queued.length;
  }

  /** Bytes of the objects whose frames wait: the queue keeps them in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Writes the frame when it is made and those before it are written. */
  add({ making, object, bytes, onWritten }: GivenFrame): void {
    // Whatever comes of a frame of an ended watch, nobody waits for it.
    if (making instanceof Promise) making.catch(() => undefined);
    if (this.#isClosed) return;
    this.#bytes += bytes;
    const waits = waiting.add(this, object, bytes);
    const isFirst = this.#queued.push({ making, bytes, onWritten, waits }) === 1;
    waiting.keepWithin(this.#parts.mostBytes);
    if (isFirst) void this.#work();
  }

  /** Resolves when nothing waits any more. */
  async emptied(): Promise<void> {
    if (this.length > 0) await (this.#emptied ??= Promise.withResolvers<undefined>()).promise;
  }

  /** Drops what waits, but for the rest of a frame that is partly written. */
  end(): void {
    if (this.#isBegun) this.#drop(1);
    else this.close();
  }

  /** Drops all. */
  close(): void {
    this.#isClosed = true;
    this.#parts.clock.clear(this.#overdue);
    this.#drop(0);
    this.#emptied?.resolve(undefined);
  }

  /** Nothing of it is written any more, for its client is too slow. */
  fail(): void {
    if (this.#isClosed) return;
    this.close();
    this.#parts.onFailed();
  }

  /** Lets go of all frames but the first ones. */
  #drop(kept: number): void {
    for (const { bytes, waits } of this.#queued.splice(kept)) {
      this.#bytes -= bytes;
      waiting.remove(this, waits, kept === 0);
    }
  }

  async #work(): Promise<void> {
    for (let [next] = this.#queued; next; [next] = this.#queued) {
      this.#overdue = this.#parts.clock.setTimeout(this.fail.bind(this), this.#parts.maxWaitMs);
      try {
        await this.#pass(next);
      } catch {
        this.fail();
      }
      if (this.#isClosed) return;
      this.#parts.clock.clear(this.#overdue);
      this.#isBegun = false;
      this.#queued.shift();
      this.#bytes -= next.bytes;
      waiting.remove(this, next.waits, this.length === 0);
    }
    this.#emptied?.resolve(undefined);
    this.#emptied = undefined;
  }

  async #pass({ making, onWritten }: QueuedFrame): Promise<void> {
    const frame = making instanceof Promise ? await making : making;
    const { sent, write, drained } = this.#parts;
    for (const piece of piecesOf(sent(frame))) {
      if (passing.shouldYield()) await passing.yieldNow();
      if (this.#isClosed) return;
      this.#isBegun = true;
      write(piece);
      await written();
      await drained();
    }
    if (!this.#isClosed) onWritten(frame);
  }
}

function* piecesOf(parts: readonly Buffer[]): Generator<Buffer> {
  for (const part of parts)
    for (let at = 0; at < part.length; at += pieceBytes) yield part.subarray(at, at + pieceBytes);
}
