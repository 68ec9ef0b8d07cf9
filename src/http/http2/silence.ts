/**
 * Finds clients that are gone without a word. A watch sends nothing while nothing changes, so that nobody would notice:
 * their watches would stay until the network gives up. Behaviour: ReadIdleTimeout and PingTimeout of net/http2 in Go.
 *
 *   heard ──pingMs without a byte──▶ pinged ──pongMs without a byte──▶ gone: the connection is destroyed
 *     └──reset, without Node's noticing (`gone-clients.ts`)──▶ gone
 */
import type { ServerHttp2Session } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { isPeerGone } from '../../base/gone-peer.ts';

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

  /** Looks at what has come since the last check, at the time `now` in milliseconds: sends a ping, or ends the connection, if that is due. */
  check({ socket, session }: Spoken, now: number): void {
    if (socket.bytesRead !== this.#bytes) {
      this.#bytes = socket.bytesRead;
      this.#heardAt = now;
      this.#pingedAt = undefined;
    }
    const { pingMs, pongMs } = this.#limits;
    const pingedAt = this.#pingedAt;
    if (isPeerGone(socket) || (pingedAt !== undefined && now - pingedAt > pongMs)) end({ socket, session });
    else if (pingedAt === undefined && now - this.#heardAt > pingMs && !session.destroyed) {
      this.#pingedAt = now;
      // The answer is seen by its bytes; without one there is an error, which is the end of the connection anyway.
      session.ping(() => undefined);
    }
  }
}

interface Spoken {
  readonly socket: TLSSocket;
  readonly session: ServerHttp2Session;
}

function end({ socket, session }: Spoken): void {
  session.destroy();
  socket.destroy();
}
