/** Acknowledges pings and settings of the peer, with the other frames of this turn. */
import { flag, frame } from './frames.ts';
import type { Outbox } from './outbox.ts';
import { PeerError } from './peer-error.ts';

/** Maximum number of replies that the peer has not read. */
const mostWaiting = 10_000;

export class Replies {
  readonly #outbox: Outbox;
  #waiting = 0;

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  /**
   * Acknowledges a frame of this type.
   * @throws PeerError if the peer does not read replies
   */
  acknowledge(type: number, payload: Buffer): void {
    this.#waiting += 1;
    if (this.#waiting > mostWaiting) throw new PeerError('enhanceYourCalm', 'the peer does not read replies');
    this.#outbox.send(frame({ type, flags: flag.ack, stream: 0 }, payload), false);
  }

  /** Called when sent bytes are read. */
  left(): void {
    this.#waiting = 0;
  }
}
