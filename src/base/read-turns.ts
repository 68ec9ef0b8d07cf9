/**
 * Spreads the reads of many connections over turns of the event loop. Some bytes cost far more to parse than others (chunks
 * of one byte, say), and the event loop reads from each connection that has bytes, all in one turn. After a costly read
 * nobody reads on in that turn, and connections whose reads are costly read one after the other, one in a turn.
 *
 *   reading ──costly read──▶ in line ──its turn──▶ reading
 *      └──costly read of another one──▶ held ──next turn──▶ reading
 *
 * Where the cost of a read becomes known piece by piece, `note` adds it up: once all reads of a turn have cost more than
 * the budget, everybody is held, and those that made up half of it wait in line. Of those that are held, few go on in the
 * turn after a costly one, then ever more: to stop and start thousands in each turn would take milliseconds of it.
 */

import { eventLoop } from './event-loop.ts';
import { Front } from './front.ts';

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
  /** Held sources that go on in the turn after a costly one; Infinity: all, the oldest first. */
  readonly share?: number;
}

const usualShare = 32;

export class ReadTurns {
  readonly #budget: number;
  readonly #isBehind: () => boolean;
  /** Cost of the reads of this turn, of all and of each. */
  #spent = 0;
  readonly #costs = new Map<ReadSource, number>();
  readonly #sources = new Set<ReadSource>();
  /** Sources that are not held. */
  readonly #free = new Set<ReadSource>();
  readonly #line = new Set<ReadSource>();
  readonly #held = new HeldSources();
  /** Held ones that go on in the next turn. */
  #share: number;
  readonly #smallShare: number;
  /** Those that went on at the beginning of this one, in their order. */
  #resumed: ReadSource[] = [];
  #isNextTurnAsked = false;

  constructor({ budget = 0, isBehind = () => false, share = usualShare }: ReadTurnsOptions = {}) {
    this.#budget = budget;
    this.#smallShare = share;
    this.#share = share;
    this.#isBehind = isBehind;
  }

  /** From now on the source stops when others have made a costly read. */
  add(source: ReadSource): void {
    this.#sources.add(source);
    this.#free.add(source);
  }

  /** From now on the source reads without turns. */
  remove(source: ReadSource): void {
    this.#sources.delete(source);
    this.#free.delete(source);
    this.#line.delete(source);
    if (this.#held.delete(source)) source.resume();
  }

  /** Adds to the cost of what the source reads in this turn, or has read before it was removed. */
  note(source: ReadSource, cost: number): void {
    this.#askNextTurn();
    const own = (this.#costs.get(source) ?? 0) + cost;
    this.#costs.set(source, own);
    const before = this.#spent;
    this.#spent += cost;
    if (this.#spent <= this.#budget) return;
    const isThere = this.#sources.has(source);
    if (own > this.#budget / 2 && isThere) this.#joinLine(source);
    else if (before <= this.#budget) this.#holdAll(source);
    else if (isThere) this.#hold(source);
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
    this.#free.delete(source);
    this.#held.delete(source);
    this.#holdAll(source);
  }

  /**
   * Those that went on in this turn read in their order: who comes behind the costly one had no chance, and is the first
   * in the next turn. The others queue.
   */
  #holdAll(costly: ReadSource): void {
    this.#share = this.#smallShare;
    const at = this.#smallShare === Infinity ? -1 : this.#resumed.indexOf(costly);
    const early = at < 0 ? [] : this.#resumed.slice(at + 1);
    this.#resumed = [];
    this.#held.putBack(early.filter((source) => this.#free.delete(source) && source.pause()));
    // The order of those that are free is that in which they went on: new ones come first in it.
    for (const source of this.#smallShare === Infinity ? this.#sources : this.#free) this.#hold(source);
  }

  #hold(source: ReadSource): void {
    if (!source.pause() || this.#line.has(source)) return;
    this.#free.delete(source);
    this.#held.add(source);
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
    this.#resumed = [];
    if (this.#held.size > 0) this.#resumeShare();
    else if (!this.#isBehind()) this.#resumeNext();
    if (this.#held.size + this.#line.size > 0) this.#askNextTurn();
  }

  #resumeShare(): void {
    for (let left = this.#share; left > 0; left -= 1) {
      const source = this.#held.take();
      if (!source) break;
      this.#resume(source);
    }
    this.#share *= 2;
  }

  #resumeNext(): void {
    const [next] = this.#line;
    if (!next) return;
    this.#line.delete(next);
    this.#resume(next);
  }

  #resume(source: ReadSource): void {
    this.#resumed.push(source);
    this.#free.add(source);
    source.resume();
  }
}

/** A queue to which those who were taken in vain return at its head. */
class HeldSources {
  readonly #all = new Set<ReadSource>();
  readonly #front = new Front(this.#all);
  /** Before all others, the next one last; some may be gone. */
  readonly #first: ReadSource[] = [];

  get size(): number {
    return this.#all.size;
  }

  add(source: ReadSource): void {
    this.#all.add(source);
  }

  /** In their order before those that are held already. */
  putBack(sources: readonly ReadSource[]): void {
    for (const source of sources) this.#all.add(source);
    for (const source of sources.toReversed()) this.#first.push(source);
  }

  take(): ReadSource | undefined {
    let next = this.#first.pop();
    while (next && !this.#all.has(next)) next = this.#first.pop();
    next ??= this.#front.next();
    if (next) this.delete(next);
    return next;
  }

  /** Returns whether it was held. */
  delete(source: ReadSource): boolean {
    const wasHeld = this.#all.delete(source);
    if (this.#all.size === 0) this.#first.length = 0;
    return wasHeld;
  }
}
