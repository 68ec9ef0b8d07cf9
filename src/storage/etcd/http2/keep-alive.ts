/** Keepalive: pings the peer, as a broken connection is as silent as an idle one. */
import type { KeepAliveTimes } from '../transport.ts';

interface Connection {
  /** Sends a ping if needed and returns whether it did. */
  readonly ping: () => boolean;
  /** Called if no response arrives. */
  readonly fail: (error: Error) => void;
}

/** Of a check; a process that runs answers pings whatever its disk does. */
const checkMs = 500;
/** etcd closes connections with more frequent pings. */
const betweenChecksMs = 10_000;

export class KeepAlive {
  readonly #timer: NodeJS.Timeout;
  readonly #connection: Connection;
  #waiting: NodeJS.Timeout | undefined;
  #checkedAt = -Infinity;

  private constructor({ everyMs, timeoutMs }: KeepAliveTimes, connection: Connection) {
    this.#connection = connection;
    this.#timer = setInterval(() => {
      if (this.#waiting === undefined && connection.ping()) this.#wait(timeoutMs);
    }, everyMs).unref();
  }

  /** Starts to ping the peer; undefined without times. */
  static start(times: KeepAliveTimes | undefined, connection: Connection): KeepAlive | undefined {
    return times && new KeepAlive(times, connection);
  }

  /** There is reason to think that the peer is gone: it has less time to answer. */
  check(): void {
    const now = performance.now();
    if (now - this.#checkedAt < betweenChecksMs) return;
    if (this.#waiting === undefined && !this.#connection.ping()) return;
    this.#checkedAt = now;
    this.#wait(checkMs);
  }

  #wait(ms: number): void {
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => {
      this.#connection.fail(new Error('keepalive pings are not answered'));
    }, ms).unref();
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
