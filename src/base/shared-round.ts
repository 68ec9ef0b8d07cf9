/**
 * One expensive question asked for many at once. Whoever asks while a round is under way shares the next one:
 * its answer was asked for after their question came, so it is as fresh as one of their own.
 */
export class SharedRound<T> {
  readonly #ask: () => Promise<T>;
  #current: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  constructor(ask: () => Promise<T>) {
    this.#ask = ask;
  }

  /** The answer of a round that begins not earlier than this call. Rejects as `ask` does. */
  join(): Promise<T> {
    if (this.#current === undefined) return this.#begin();
    this.#next ??= this.#afterwards(this.#current);
    return this.#next;
  }

  async #afterwards(current: Promise<T>): Promise<T> {
    await current.catch(() => undefined);
    return this.#begin();
  }

  #begin(): Promise<T> {
    this.#next = undefined;
    const round = this.#ask().finally(() => {
      if (this.#current === round) this.#current = undefined;
    });
    this.#current = round;
    return round;
  }
}
