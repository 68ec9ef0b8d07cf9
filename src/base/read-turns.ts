/**
 * Spreads the reads of many connections over turns of the event loop. Some bytes cost far more to parse than others (chunks
 * of one byte, say), and the event loop reads from each connection that has bytes, all in one turn. After a costly read
 * nobody reads on in that turn, and connections whose reads are costly read one after the other, one in a turn.
 *
 *   reading ──costly read──▶ in line ──its turn──▶ reading
 *      └──costly read of another one──▶ held ──next turn──▶ reading
 *
 * Where the cost of a read becomes known piece by piece, `note` adds it up: once all reads of a turn have cost more than
 * the budget, everybody is held, and those that made up half of it wait in line.
 */

import { eventLoop } from './event-loop.ts';

export interface ReadSource {
  /** Stops reading; may be called again while it is stopped. Returns false if it was paused already. */
  pause(): boolean;
  /** Reads again. */
  resume(): void;
}

export interface ReadTurnsOptions {
  /** Cost of the reads of one turn, in any unit. */
  readonly budget?: number;
  /** Whether work on what was read is pending. Then none of the waiting sources is read. */
  readonly isBehind?: () => boolean;
}

export class ReadTurns {
  readonly #budget: number;
  readonly #isBehind: () => boolean;
  /** Cost of the reads of this turn, of all and of each. */
  #spent = 0;
  readonly #costs = new Map<ReadSource, number>();
  readonly #sources = new Set<ReadSource>();
  readonly #line = new Set<ReadSource>();
  #held: ReadSource[] = [];
  #isNextTurnAsked = false;

  constructor({ budget = 0, isBehind = () => false }: ReadTurnsOptions = {}) {
    this.#budget = budget;
    this.#isBehind = isBehind;
  }

  /** From now on the source stops when others have made a costly read. */
  add(source: ReadSource): void {
    this.#sources.add(source);
  }

  remove(source: ReadSource): void {
    this.#sources.delete(source);
    this.#line.delete(source);
  }

  /** Adds to the cost of what the source reads in this turn. */
  note(source: ReadSource, cost: number): void {
    this.#askNextTurn();
    const own = (this.#costs.get(source) ?? 0) + cost;
    this.#costs.set(source, own);
    const before = this.#spent;
    this.#spent += cost;
    if (this.#spent <= this.#budget) return;
    if (own > this.#budget / 2 && this.#sources.has(source)) this.#joinLine(source);
    else if (before <= this.#budget) this.#holdAll();
    else if (this.#sources.has(source)) this.#hold(source);
  }

  /** The source has made a costly read: it waits in line for its next one. */
  noteCostlyRead(source: ReadSource): void {
    this.#joinLine(source);
    this.#askNextTurn();
  }

  #joinLine(source: ReadSource): void {
    source.pause();
    if (this.#line.has(source)) return;
    this.#line.add(source);
    this.#holdAll();
  }

  #holdAll(): void {
    for (const source of this.#sources) this.#hold(source);
  }

  #hold(source: ReadSource): void {
    if (source.pause() && !this.#line.has(source)) this.#held.push(source);
  }

  #askNextTurn(): void {
    if (this.#isNextTurnAsked) return;
    this.#isNextTurnAsked = true;
    eventLoop().nextTurn(() => {
      this.#isNextTurnAsked = false;
      this.#beginTurn();
    });
  }

  /** Those that were held come first, so that costly reads of others cannot keep them from reading. */
  #beginTurn(): void {
    this.#spent = 0;
    this.#costs.clear();
    const held = this.#held;
    this.#held = [];
    for (const source of held) if (!this.#line.has(source)) source.resume();
    if (held.length === 0 && !this.#isBehind()) this.#resumeNext();
    if (this.#line.size > 0) this.#askNextTurn();
  }

  #resumeNext(): void {
    const [next] = this.#line;
    if (!next) return;
    this.#line.delete(next);
    next.resume();
  }
}
