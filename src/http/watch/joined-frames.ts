/**
 * Puts frames behind each other, once for all watches that get the same ones: for each of a hundred watches it took memory of its
 * own for what all of them send, and of such memory each 64 MB bring a full collection.
 */
import { eventLoop } from '../../base/event-loop.ts';

export class JoinedFrames {
  readonly #wrap: ((frame: Buffer) => readonly Buffer[]) | undefined;
  #frames: readonly Buffer[] = [];
  #joined: Buffer | undefined;

  /** @param wrap what is sent of a frame; absent: the frame as it is */
  constructor(wrap?: (frame: Buffer) => readonly Buffer[]) {
    this.#wrap = wrap;
  }

  /** The bytes of all frames; not to be changed. They are kept until the next turn, by then most watches have got them. */
  join(frames: readonly Buffer[]): Buffer {
    const [only] = frames;
    if (this.#wrap === undefined && only !== undefined && frames.length === 1) return only;
    if (this.#joined !== undefined && areSame(frames, this.#frames)) return this.#joined;
    if (this.#joined === undefined) eventLoop().nextTurn(() => this.#forget());
    this.#frames = frames;
    return (this.#joined = Buffer.concat(this.#wrap ? frames.flatMap(this.#wrap) : frames));
  }

  #forget(): void {
    this.#frames = [];
    this.#joined = undefined;
  }
}

function areSame(some: readonly Buffer[], others: readonly Buffer[]): boolean {
  return some.length === others.length && some.every((frame, i) => frame === others[i]);
}
