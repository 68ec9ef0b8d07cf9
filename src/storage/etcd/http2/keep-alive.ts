/** Keepalive: pings the peer, as a broken connection is as silent as an idle one. */
import type { KeepAliveTimes } from '../transport.ts';

export class KeepAlive {
  readonly #timer: NodeJS.Timeout;
  #waiting: NodeJS.Timeout | undefined;

  /** `ask` sends a ping if needed and returns whether it did; `onSilence` is called if no response arrives. */
  constructor({ everyMs, timeoutMs }: KeepAliveTimes, ask: () => boolean, onSilence: () => void) {
    this.#timer = setInterval(() => {
      if (this.#waiting === undefined && ask()) this.#waiting = setTimeout(onSilence, timeoutMs).unref();
    }, everyMs).unref();
  }

  /** Called when the peer responds. */
  hear(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.hear();
  }
}
