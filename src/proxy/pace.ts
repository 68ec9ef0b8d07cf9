/** Passes bytes no faster than a rate: for connections that would otherwise take all of the network. */
import { Transform, type TransformCallback } from 'node:stream';
import type { Clock, Timer } from '../base/clock.ts';

/** Pieces are those of a tenth of a second, so that the rate is even. */
const piecesPerSecond = 10;

export class Pace extends Transform {
  readonly #clock: Clock;
  readonly #pieceBytes: number;
  readonly #bytesPerMs: number;
  /** When the next piece may pass, on the monotonic clock. */
  #nextAt = 0;
  #timer: Timer | undefined;

  /** @param bytesPerSecond at least 1 */
  constructor(clock: Clock, bytesPerSecond: number) {
    const pieceBytes = Math.max(1, Math.floor(bytesPerSecond / piecesPerSecond));
    super({ highWaterMark: pieceBytes });
    this.#clock = clock;
    this.#pieceBytes = pieceBytes;
    this.#bytesPerMs = bytesPerSecond / 1000;
  }

  /** Time in milliseconds for what waits here. */
  get waitingMs(): number {
    return this.writableLength / this.#bytesPerMs;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#pass(chunk, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#clock.clear(this.#timer);
    done(error);
  }

  /** Each piece waits for the time that the one before takes at this rate. */
  #pass(chunk: Buffer, done: TransformCallback): void {
    const now = this.#clock.monotonic();
    const waitMs = this.#nextAt - now;
    if (waitMs > 0) {
      this.#timer = this.#clock.setTimeout(() => {
        this.#pass(chunk, done);
      }, Math.ceil(waitMs));
      return;
    }
    const piece = chunk.subarray(0, this.#pieceBytes);
    this.#nextAt = Math.max(now, this.#nextAt) + piece.length / this.#bytesPerMs;
    this.push(piece);
    if (piece.length === chunk.length) done();
    else this.#pass(chunk.subarray(piece.length), done);
  }
}
