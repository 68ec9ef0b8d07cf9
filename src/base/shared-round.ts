/**
 * One expensive question asked for many at once. Whoever asks while a round is under way shares the next one:
 * its answer was asked for after their question came, so it is as fresh as one of their own.
 *
 * What follows an answer is work, and would keep the next question from its socket, which is written at the end of a turn
 * of the loop. Therefore the next question leaves first, and the answer is given in portions of later turns: those who
 * heard it first come back while the others hear it, and the loop never waits for a round with nothing to do.
 *
 *   join ──▶ asking for the next round ──begin──▶ asked ──answer──▶ due ──portion by portion──▶ resolved
 */

/** So many hear an answer in one turn of the loop. */
const portion = 8;

interface Asker<T> {
  readonly resolve: (answer: T) => void;
  readonly reject: (error: unknown) => void;
}

export class SharedRound<T> {
  readonly #ask: () => Promise<T>;
  #isAsking = false;
  #isTurnComing = false;
  /** Who shares the next round. */
  #askers: Asker<T>[] = [];
  /** Each tells one of those whose answer has come. */
  #due: (() => void)[] = [];

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  /** The answer of a round that begins not earlier than this call. Rejects as `ask` does. */
  join(): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#askers.push({ resolve, reject });
      if (!this.#isAsking) this.#comeTurn();
    });
  }

  #comeTurn(): void {
    if (this.#isTurnComing) return;
    this.#isTurnComing = true;
    setImmediate(() => {
      this.#isTurnComing = false;
      this.#turn();
    });
  }

  #turn(): void {
    const isBeginning = this.#mayBegin();
    if (isBeginning) this.#begin();
    else for (const tell of this.#due.splice(0, portion)) tell();
    if (this.#due.length > 0 || (this.#askers.length > 0 && !this.#isAsking)) this.#comeTurn();
  }

  /** Most of those who share a round come back one after the other: a question for each of them would be too many. */
  #mayBegin(): boolean {
    return !this.#isAsking && this.#askers.length > 0 && this.#askers.length >= this.#due.length;
  }

  #begin(): void {
    const askers = this.#askers;
    this.#askers = [];
    this.#isAsking = true;
    const settle = (tell: (asker: Asker<T>) => void): void => {
      this.#isAsking = false;
      for (const asker of askers) {
        this.#due.push(() => {
          tell(asker);
        });
      }
      this.#comeTurn();
    };
    this.#ask().then(
      (answer) => {
        settle(({ resolve }) => {
          resolve(answer);
        });
      },
      (error: unknown) => {
        settle(({ reject }) => {
          reject(error);
        });
      },
    );
  }
}
