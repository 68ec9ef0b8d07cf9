/**
 * Finds clients that are gone without a word. A watch sends nothing while nothing changes, so that nobody would notice:
 * their watches would stay until the network gives up. Behaviour: ReadIdleTimeout and PingTimeout of net/http2 in Go.
 *
 *   heard ──pingMs without a byte──▶ pinged ──pongMs without a byte──▶ gone: the connection is destroyed
 */
import type { ServerHttp2Session } from 'node:http2';
import type { TLSSocket } from 'node:tls';

export interface SilenceLimits {
  readonly pingMs: number;
  readonly pongMs: number;
}

export class Silence {
  readonly #limits: SilenceLimits;
  #bytes = -1;
  #heardAt = 0;
  #pingedAt: number | undefined = undefined;

  constructor(limits: SilenceLimits) {
    this.#limits = limits;
  }

  /** Looks at what has come since the last check, at the time `now` in milliseconds; returns whether something is to be done. */
  isDue(socket: TLSSocket, now: number): boolean {
    if (socket.bytesRead !== this.#bytes) {
      this.#bytes = socket.bytesRead;
      this.#heardAt = now;
      this.#pingedAt = undefined;
    }
    const { pingMs, pongMs } = this.#limits;
    return this.#pingedAt === undefined ? now - this.#heardAt > pingMs : now - this.#pingedAt > pongMs;
  }

  /** Sends a ping, or ends the connection, once that is due. */
  act(
    { socket, session }: { readonly socket: TLSSocket; readonly session: ServerHttp2Session },
    now: number,
  ): void {
    if (this.#pingedAt !== undefined) {
      session.destroy();
      socket.destroy();
    } else if (!session.destroyed) {
      this.#pingedAt = now;
      // The answer is seen by its bytes; without one there is an error, which is the end of the connection anyway.
      session.ping(() => undefined);
    }
  }
}
