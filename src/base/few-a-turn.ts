/**
 * Short pieces of work that become due together, such as the ends of thousands of connections that began together: a few
 * are done in each turn of the event loop.
 */
import { eventLoop } from './event-loop.ts';
import { Fifo } from './fifo.ts';

/** Pieces of a turn; of 0.2 ms each, as the end of a connection, they take 3 ms. */
const usualPerTurn = 16;

export class FewATurn {
  readonly #waiting = new Fifo<() => void>();
  readonly #perTurn: number;

  constructor(perTurn = usualPerTurn) {
    this.#perTurn = perTurn;
  }

  /** Pieces that are not done yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Does the work in one of the next turns. It must not throw, and looks itself whether it is still wanted. */
  add(work: () => void): void {
    if (this.#waiting.push(work) === 1) this.#plan();
  }

  #plan(): void {
    eventLoop().nextTurn(() => {
      for (let left = Math.min(this.#perTurn, this.waiting); left > 0; left -= 1) this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#plan();
    });
  }
}
