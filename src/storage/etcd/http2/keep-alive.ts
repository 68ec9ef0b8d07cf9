/** Asks the peer for a sign of life, for a connection that was cut somewhere is silent like one on which nothing happens. */
import type { KeepAliveTimes } from '../transport.ts';

export class KeepAlive {
  readonly #timer: NodeJS.Timeout;
  #waiting: NodeJS.Timeout | undefined;

  /** `ask` sends a question, where there is any reason to, and tells whether it did; `onSilence` hears that no answer came. */
  constructor({ everyMs, timeoutMs }: KeepAliveTimes, ask: () => boolean, onSilence: () => void) {
    this.#timer = setInterval(() => {
      if (this.#waiting === undefined && ask()) this.#waiting = setTimeout(onSilence, timeoutMs).unref();
    }, everyMs).unref();
  }

  /** The peer answered. */
  hear(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.hear();
  }
}
