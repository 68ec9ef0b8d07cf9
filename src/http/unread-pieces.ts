/**
 * Pieces of a body that nobody reads yet. A client may send chunks of a byte each, ten thousand before Node stops: kept one
 * by one, they are as many objects with memory of their own, and each collection of garbage goes over those of all
 * connections, for tens of milliseconds. So small ones are copied into blocks, and the rest of them is garbage at once.
 */
import type { Readable } from 'node:stream';

/** Ordinary bodies have no more pieces before they are read, and are not copied. */
const piecesAsTheyAre = 16;
/** Larger pieces are kept as they are. */
const smallBytes = 512;
const blockBytes = 4 * 1024;

type Push = (chunk: unknown, encoding?: BufferEncoding) => boolean;

export class UnreadPieces {
  readonly #body: Readable;
  readonly #push: Push;
  #isRead = false;
  #pieces = 0;
  #block: Buffer | undefined;
  #used = 0;

  /** Its pieces come through `push` from now on. */
  constructor(body: Readable) {
    this.#body = body;
    this.#push = body.push.bind(body);
    const read = body._read.bind(body);
    body._read = (size) => {
      this.#isRead = true;
      this.#flush();
      read(size);
    };
  }

  /** As `Readable.push`: false if no more should come. */
  push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (!this.#isRead && chunk instanceof Uint8Array && chunk.length <= smallBytes) return this.#keep(chunk);
    this.#flush();
    return this.#push(chunk, encoding);
  }

  #keep(piece: Uint8Array): boolean {
    this.#pieces += 1;
    if (this.#pieces <= piecesAsTheyAre) return this.#push(piece);
    if (this.#used + piece.length > blockBytes) this.#flush();
    this.#block ??= Buffer.allocUnsafeSlow(blockBytes);
    this.#block.set(piece, this.#used);
    this.#used += piece.length;
    const { readableLength, readableHighWaterMark } = this.#body;
    return readableLength + this.#used < readableHighWaterMark;
  }

  /** Hands over what is in the block. */
  #flush(): void {
    const block = this.#block?.subarray(0, this.#used);
    this.#block = undefined;
    this.#used = 0;
    if (block) this.#push(block);
  }
}
