/** Whether the other end of a connection is gone, where Node has not noticed or does not say so. */
import type { Duplex } from 'node:stream';

/** What Node's types do not have, of sockets and of TLS sockets. */
interface Handled {
  readonly _handle?: { getpeername?(into: object): number } | null;
}

/**
 * The system knows the address of a peer until the connection was reset, or its keepalive probes had no answer. A peer that
 * has only ended its own side is still there, and so is one of a stream that is no socket.
 */
export function isPeerGone(side: Duplex): boolean {
  const { _handle: handle } = side as Handled;
  return handle?.getpeername !== undefined && handle.getpeername({}) !== 0;
}
