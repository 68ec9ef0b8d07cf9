/**
 * A connection that is not read, because the other side does not read either, does not notice the end of its peer: that
 * stands behind bytes that wait. So the system is asked now and then.
 */
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '../base/clock.ts';

const checkMs = 5_000;

/** What Node's types do not have, of sockets and of TLS sockets. */
interface Handled {
  readonly _handle?: { getpeername?(into: object): number } | null;
}

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
    if (isGone(side)) onGone();
    else this.begin();
  };
}

/**
 * The system knows the address of a peer until the connection was reset, or its keepalive probes had no answer. A peer that
 * has only ended its own side is still there.
 */
function isGone(side: Duplex): boolean {
  const { _handle: handle } = side as Handled;
  return handle?.getpeername !== undefined && handle.getpeername({}) !== 0;
}
