/**
 * Lets the event loop turn: answers that come in microtasks alone would keep timers and sockets of the process waiting as
 * long as a caller asks again at once.
 */
import { eventLoop } from '../base/event-loop.ts';

/** Answers of one turn; the next ones wait for the next turn. */
const answersPerTurn = 32;

export class Pace {
  #answered = 0;
  #total = 0;
  #isTurning = false;
  #waiting: (() => void)[] = [];

  /** Answers since the begin. */
  get total(): number {
    return this.#total;
  }

  /** Calls back now, or in the next turn if this one has had its share; always in order. */
  take(answer: () => void): void {
    this.#turn();
    this.#answered += 1;
    this.#total += 1;
    if (this.#answered <= answersPerTurn) answer();
    else this.#waiting.push(answer);
  }

  #turn(): void {
    if (this.#isTurning) return;
    this.#isTurning = true;
    eventLoop().nextTurn(() => {
      this.#isTurning = false;
      this.#answered = 0;
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const answer of waiting) answer();
    });
  }
}
