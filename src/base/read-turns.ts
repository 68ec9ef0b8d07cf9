/**
 * Spreads the reads of many connections over turns of the event loop. Some bytes cost far more to parse than others (chunks
 * of one byte, say), and the event loop reads from each connection that has bytes, all in one turn. After a costly read
 * nobody reads on in that turn, and connections whose reads are costly read one after the other, one in a turn.
 *
 *   reading ──costly read──▶ in line ──its turn──▶ reading
 *      └──costly read of another one──▶ held ──next turn──▶ reading
 */

export interface ReadSource {
  /** Stops reading. Returns false if it is paused already. */
  pause(): boolean;
  /** Reads again. */
  resume(): void;
}

export class ReadTurns {
  readonly #sources = new Set<ReadSource>();
  readonly #line = new Set<ReadSource>();
  #held: ReadSource[] = [];
  #isNextTurnAsked = false;

  /** From now on the source stops when others have made a costly read. */
  add(source: ReadSource): void {
    this.#sources.add(source);
  }

  remove(source: ReadSource): void {
    this.#sources.delete(source);
    this.#line.delete(source);
  }

  /** The source has made a costly read: it waits in line for its next one. */
  noteCostlyRead(source: ReadSource): void {
    source.pause();
    this.#line.add(source);
    for (const other of this.#sources) if (!this.#line.has(other) && other.pause()) this.#held.push(other);
    this.#askNextTurn();
  }

  #askNextTurn(): void {
    if (this.#isNextTurnAsked) return;
    this.#isNextTurnAsked = true;
    setImmediate(() => {
      this.#isNextTurnAsked = false;
      this.#beginTurn();
    });
  }

  /** Those that were held come first, so that costly reads of others cannot keep them from reading. */
  #beginTurn(): void {
    const held = this.#held;
    this.#held = [];
    for (const source of held) source.resume();
    if (held.length === 0) this.#resumeNext();
    if (this.#line.size > 0) this.#askNextTurn();
  }

  #resumeNext(): void {
    const [next] = this.#line;
    if (!next) return;
    this.#line.delete(next);
    next.resume();
  }
}
