/**
 * Ends of connections of HTTP/1.1 on which no request is answered, once the server accepts no more of them. A client that
 * sends one request behind the other may have sent the next one when its connection is found idle: it would be reset. So a
 * connection is given some time, in which its next request gets an answer that closes it.
 */
import type { Duplex } from 'node:stream';
import { systemClock } from '../base/clock.ts';
import { FewATurn } from '../base/few-a-turn.ts';

/** More than a round trip and what a client needs between two requests. */
const quietMs = 500;

export class IdleEnds {
  readonly #isBusy: (socket: Duplex) => boolean;
  readonly #ends = new FewATurn();

  /** @param isBusy whether a request of the connection is being answered; who answers it sees to its end */
  constructor(isBusy: (socket: Duplex) => boolean) {
    this.#isBusy = isBusy;
  }

  /** Ends those that are idle after the time. */
  after(sockets: readonly Duplex[]): void {
    systemClock.setTimeout(() => {
      for (const socket of sockets)
        this.#ends.add(() => {
          if (!this.#isBusy(socket)) endNow(socket);
        });
    }, quietMs);
  }
}

/** What has been sent arrives, and the end of the stream behind it. */
function endNow(socket: Duplex): void {
  socket.end(() => {
    socket.destroy();
  });
}
