/**
 * Connections of HTTP/1.1 whose clients are gone without Node's noticing. A client may reset its connection while a write of
 * OpenSSL is under way that nobody has asked for, such as the tickets of TLS 1.3. That write takes the error of the
 * connection, and all later ones wait for ever: there is neither an error nor a close, and the response never ends. So those
 * for which something waits are looked at from time to time.
 */
import type { Duplex } from 'node:stream';
import { FewATurn } from '../base/few-a-turn.ts';
import { isPeerGone } from '../base/gone-peer.ts';

/** Closes those of the connections that are gone. */
export class GoneClients {
  readonly #connections: Iterable<Duplex>;
  readonly #ends = new FewATurn();
  #timer: NodeJS.Timeout | undefined;

  constructor(connections: Iterable<Duplex>) {
    this.#connections = connections;
  }

  /** Looks at all connections every `checkMs` milliseconds. */
  start(checkMs: number): void {
    this.#timer = setInterval(() => {
      this.#look();
    }, checkMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const socket of this.#connections)
      if (waits(socket) && isPeerGone(socket)) this.#ends.add(() => socket.destroy());
  }
}

/** Whether something that was written, or the end, is not sent yet. */
function waits({ writableLength, writableEnded, writableFinished }: Duplex): boolean {
  return writableLength > 0 || (writableEnded && !writableFinished);
}
