/**
 * What leaves on a connection. All that is said in one turn of the loop leaves in one piece, unless somebody is in a hurry.
 *
 * Pieces are written into memory that is used again when the socket has done with it. In buffers of their own, joined when
 * they left, the transactions of 6 KB of one turn were copied twice more, and each of these copies was for the collector.
 */
import { BufferPool } from '../../../base/buffer-pool.ts';
import type { Piece } from './piece.ts';

/**
 * Room for what 40 writers of 6 KB say in one turn. With a quarter of it, each replacement of an object took 30 µs more of the
 * thread: every write to the socket wakes the peer, who may be on the same machine. What nobody fills takes no memory.
 */
const chunkBytes = 256 * 1024;
/** Chunks that are kept while nothing leaves; more are in use only where the peer does not read. */
const mostFree = 2;

export class Outbox {
  readonly #write: (bytes: Buffer, done: () => void) => void;
  readonly #pool = new BufferPool(chunkBytes, mostFree);
  #chunk: Buffer | undefined;
  /** So much of it is written. */
  #filled = 0;
  #isFlushComing = false;

  /** `write` calls `done` when nobody reads the bytes any more. */
  constructor(write: (bytes: Buffer, done: () => void) => void) {
    this.#write = write;
  }

  /** `isUrgent`: at once, with what waits; else at the end of this turn of the loop. */
  send(piece: Piece, isUrgent: boolean): void {
    const chunk = this.#room(piece.length);
    piece.copy(chunk, this.#filled);
    this.#filled += piece.length;
    if (isUrgent) {
      this.flush();
    } else if (!this.#isFlushComing) {
      this.#isFlushComing = true;
      setImmediate(() => {
        this.#isFlushComing = false;
        this.flush();
      });
    }
  }

  flush(): void {
    const chunk = this.#chunk;
    if (chunk === undefined) return;
    this.#chunk = undefined;
    this.#write(chunk.subarray(0, this.#filled), () => {
      this.#pool.give(chunk);
    });
    this.#filled = 0;
  }

  /** The chunk that is filled now, with room for so many bytes more: what it would be too small for leaves before. */
  #room(bytes: number): Buffer {
    if (this.#chunk !== undefined && this.#filled + bytes > this.#chunk.length) this.flush();
    return (this.#chunk ??= this.#pool.take(Math.max(bytes, chunkBytes)));
  }
}
