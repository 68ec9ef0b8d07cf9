/** Keepalive: pings the peer, as a broken connection is as silent as an idle one. */
import type { KeepAliveTimes } from '../transport.ts';

interface Connection {
  /** Sends a ping if needed and returns whether it did. */
  readonly ping: () => boolean;
  /** Called if no response arrives. */
  readonly fail: (error: Error) => void;
}

export class KeepAlive {
  readonly #timer: NodeJS.Timeout;
  #waiting: NodeJS.Timeout | undefined;

  private constructor({ everyMs, timeoutMs }: KeepAliveTimes, { ping, fail }: Connection) {
    const onSilence = (): void => fail(new Error('keepalive pings are not answered'));
    this.#timer = setInterval(() => {
      if (this.#waiting === undefined && ping()) this.#waiting = setTimeout(onSilence, timeoutMs).unref();
    }, everyMs).unref();
  }

  /** Starts to ping the peer; undefined without times. */
  static start(times: KeepAliveTimes | undefined, connection: Connection): KeepAlive | undefined {
    return times && new KeepAlive(times, connection);
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
