/**
 * Spreads requests over turns of the event loop. Node delivers the streams of all that it has read from a connection in
 * one turn: hundreds for each connection, which would hold the thread for as long as all of them take.
 */
import { eventLoop } from '../../base/event-loop.ts';

/** Requests that begin in one turn, of all connections together. */
const perTurn = 32;

export class TurnQueue {
  readonly #waiting: (() => void)[] = [];
  #begun = 0;

  /** Requests that wait for a later turn. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Begins at once if few have begun in this turn, or in a later turn, in the order of the calls. */
  begin(work: () => void): void {
    if (this.#begun === 0) eventLoop().nextTurn(() => this.#nextTurn());
    this.#begun += 1;
    if (this.#begun > perTurn) this.#waiting.push(work);
    else work();
  }

  #nextTurn(): void {
    const due = this.#waiting.splice(0, perTurn);
    this.#begun = due.length + this.#waiting.length;
    if (this.#begun > 0) eventLoop().nextTurn(() => this.#nextTurn());
    for (const work of due) work();
  }
}
