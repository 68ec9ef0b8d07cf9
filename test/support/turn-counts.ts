/** What is done in the turns of the event loop, counted. */

/** Holds the thread for so long. */
export function holdThread(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

export class TurnCounts {
  /** The most that was noted in one turn. */
  most = 0;
  all = 0;
  #now = 0;
  #timer = setImmediate(() => {
    this.#next();
  });

  note(): void {
    this.all += 1;
    this.#now += 1;
    this.most = Math.max(this.most, this.#now);
  }

  end(): void {
    clearImmediate(this.#timer);
  }

  #next(): void {
    this.#now = 0;
    this.#timer = setImmediate(() => {
      this.#next();
    });
  }
}
