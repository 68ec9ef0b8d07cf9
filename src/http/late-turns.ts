/** Connections of which a few are read at a time, each for some milliseconds, if there are many. */

export interface LateSource {
  /** Stops reading until `unpark`. */
  park(): void;
  unpark(): void;
}

/** Read at a time; the ends of so many handshakes take 2 ms (60 µs each). */
const atOnce = 32;
const turnMs = 10;

export class LateTurns {
  /** Those whose turn was longest ago first. */
  readonly #all = new Set<LateSource>();
  readonly #read = new Set<LateSource>();
  #timer: NodeJS.Timeout | undefined;

  /** From now on the source is read in its turn, or always while there are few. */
  add(source: LateSource): void {
    this.#all.add(source);
    if (this.#read.size < atOnce) this.#read.add(source);
    else source.park();
    if (this.#all.size > atOnce) this.#timer ??= setInterval(this.#turn.bind(this), turnMs).unref();
  }

  /** From now on the source reads without turns. */
  remove(source: LateSource): void {
    if (this.#all.delete(source) && !this.#read.delete(source)) source.unpark();
  }

  #turn(): void {
    const isOver = this.#all.size <= atOnce;
    if (!isOver) for (const source of this.#read) this.#queue(source);
    for (const source of this.#all) {
      if (this.#read.size >= atOnce) break;
      if (this.#read.has(source)) continue;
      this.#read.add(source);
      source.unpark();
    }
    if (!isOver) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #queue(source: LateSource): void {
    source.park();
    this.#read.delete(source);
    this.#all.delete(source);
    this.#all.add(source);
  }
}
