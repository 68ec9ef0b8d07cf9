/**
 * Requests of this service itself to many servers: few begin at once, whatever server they are for. A TLS handshake holds
 * the thread for half a millisecond and more, and those that begin together end together.
 *
 *   request ─▶ fewer than 4 handshakes in progress ─▶ a slice of the thread ─▶ sent
 *          └─▶ waits ── one ended, or takes longer than 20 ms ─▶ as above
 */
import type { ClientRequest } from 'node:http';
import type { Clock } from './clock.ts';
import { SharedSlice } from './cooperate.ts';
import { waitInLine } from './waiting-line.ts';

/** Handshakes that may end in the same turn of the event loop. */
const mostAtOnce = 4;
/** A server that does not answer, or is far away, delays the requests behind by this time. */
const countsMs = 20;

type NoteRequest = (sent: ClientRequest) => void;

export class HandshakeGate {
  readonly #clock: Clock;
  readonly #slice = new SharedSlice();
  readonly #waiting = new Set<() => void>();
  #shaking = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Calls `send` when its turn has come, which notes what it sends: a request counts until it has a connection.
   * @throws the reason of the signal
   */
  async begin(signal: AbortSignal, send: (note: NoteRequest) => void | Promise<void>): Promise<void> {
    // A request that is done passes its place to the next in the line.
    if (this.#shaking >= mostAtOnce) await waitInLine(this.#waiting, signal);
    else this.#shaking += 1;
    const over = this.#counted();
    try {
      if (this.#slice.shouldYield()) await this.#slice.yieldNow();
      signal.throwIfAborted();
      await send((sent) => whenConnected(sent, over));
    } catch (error) {
      over();
      throw error;
    }
  }

  /** @returns to be called when the place is free again; more often changes nothing */
  #counted(): () => void {
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      this.#clock.clear(timer);
      const [next] = this.#waiting;
      if (next) next();
      else this.#shaking -= 1;
    };
    const timer = this.#clock.setTimeout(over, countsMs);
    timer.unref();
    return over;
  }
}

/** A connection that is used again has nothing to wait for. */
function whenConnected(sent: ClientRequest, over: () => void): void {
  sent.once('socket', (socket) => {
    if (sent.reusedSocket) over();
    else socket.once('secureConnect', over);
  });
  sent.once('close', over);
}
