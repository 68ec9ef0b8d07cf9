/**
 * The frames of a watch that cannot be written at once, in their order. One that another thread makes holds back those
 * behind it. Large ones go out in pieces at the pace of the client: what 1,000 watches show of an object of 3 MB would
 * otherwise wait 1,000 times in memory.
 */
import type { Clock, Timer } from '../../base/clock.ts';
import { SharedSlice, written } from '../../base/cooperate.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';

interface QueuedFrame {
  readonly making: MaybePromise<Buffer>;
  /** Bytes of the object that it shows. */
  readonly bytes: number;
  readonly onWritten: (frame: Buffer) => void;
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
  /** A frame was not made or not read in time; the queue is of no use any more. */
  readonly onFailed: () => void;
}

/** Longer frames go through the queue. */
export const largeFrameBytes = 256 * 1024;
const pieceBytes = 64 * 1024;
/** Of all queues: a frame that is made elsewhere is one that thousands wait for. */
const passing = new SharedSlice();

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
  add({ making, bytes, onWritten }: QueuedFrame): void {
    // Whatever comes of a frame of an ended watch, nobody waits for it.
    if (making instanceof Promise) making.catch(() => undefined);
    if (this.#isClosed) return;
    this.#bytes += bytes;
    if (this.#queued.push({ making, bytes, onWritten }) === 1) void this.#work();
  }

  /** Resolves when nothing waits any more. */
  async emptied(): Promise<void> {
    if (this.length > 0) await (this.#emptied ??= Promise.withResolvers<undefined>()).promise;
  }

  /** Drops what waits, but for the rest of a frame that is partly written. */
  end(): void {
    if (this.#isBegun) this.#queued = this.#queued.slice(0, 1);
    else this.close();
  }

  /** Drops all. */
  close(): void {
    this.#isClosed = true;
    this.#parts.clock.clear(this.#overdue);
    this.#queued = [];
    this.#bytes = 0;
    this.#emptied?.resolve(undefined);
  }

  async #work(): Promise<void> {
    for (let [next] = this.#queued; next; [next] = this.#queued) {
      this.#overdue = this.#parts.clock.setTimeout(this.#fail.bind(this), this.#parts.maxWaitMs);
      try {
        await this.#pass(next);
      } catch {
        this.#fail();
      }
      if (this.#isClosed) return;
      this.#parts.clock.clear(this.#overdue);
      this.#isBegun = false;
      this.#queued.shift();
      this.#bytes -= next.bytes;
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

  #fail(): void {
    if (this.#isClosed) return;
    this.close();
    this.#parts.onFailed();
  }
}

function* piecesOf(parts: readonly Buffer[]): Generator<Buffer> {
  for (const part of parts)
    for (let at = 0; at < part.length; at += pieceBytes) yield part.subarray(at, at + pieceBytes);
}
