/**
 * A connection that is not read, because the other side does not read either, does not notice the end of its peer: that
 * stands behind bytes that wait. So the system is asked now and then.
 */
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '../base/clock.ts';
import { isPeerGone } from '../base/gone-peer.ts';

const checkMs = 5_000;

export interface StalledPeerParts {
  readonly clock: Clock;
  /** The connection; one that is no socket is never found gone. */
  readonly side: Duplex;
  /** Whether it is still not read. */
  readonly isStalled: () => boolean;
  /** Called once the peer is gone. */
  readonly onGone: () => void;
}

export class StalledPeer {
  readonly #parts: StalledPeerParts;
  #timer: Timer | undefined;
  #isOver = false;

  constructor(parts: StalledPeerParts) {
    this.#parts = parts;
  }

  /** Call it whenever the connection begins not to be read. */
  readonly begin = (): void => {
    if (this.#isOver) return;
    this.#timer ??= this.#parts.clock.setTimeout(this.#look, checkMs);
  };

  /** Ends the checks. */
  close(): void {
    this.#isOver = true;
    this.#parts.clock.clear(this.#timer);
    this.#timer = undefined;
  }

  readonly #look = (): void => {
    const { side, isStalled, onGone } = this.#parts;
    this.#timer = undefined;
    if (!isStalled()) return;
    if (isPeerGone(side)) onGone();
    else this.begin();
  };
}
