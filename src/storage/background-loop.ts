/** A loop that runs beside the storage from its start to its end. */

export class BackgroundLoop {
  readonly #intervalMs: number;
  readonly #loop: (signal: AbortSignal) => Promise<void>;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  /** @param intervalMs pause between rounds; 0: the loop never runs. @param loop runs until its signal is aborted */
  constructor(intervalMs: number, loop: (signal: AbortSignal) => Promise<void>) {
    this.#intervalMs = intervalMs;
    this.#loop = loop;
  }

  start(): void {
    if (this.#intervalMs > 0) this.#running ??= this.#loop(this.#stopping.signal);
  }

  /** Resolves when the loop has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }
}
