/** Replies that the peer asks for: to pings and settings. They leave with what is said in this turn of the loop. */
import { flag, frame } from './frames.ts';
import type { Outbox } from './outbox.ts';
import { PeerError } from './peer-error.ts';

/** Replies that a peer may leave untaken. */
const mostWaiting = 10_000;

export class Replies {
  readonly #outbox: Outbox;
  #waiting = 0;

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  /** Replies to a frame of this type. @throws PeerError when the peer takes none of them */
  acknowledge(type: number, payload: Buffer): void {
    this.#waiting += 1;
    if (this.#waiting > mostWaiting)
      throw new PeerError('enhanceYourCalm', 'replies are asked for and not taken');
    this.#outbox.send(frame({ type, flags: flag.ack, stream: 0 }, payload), false);
  }

  /** The peer took something. */
  left(): void {
    this.#waiting = 0;
  }
}
