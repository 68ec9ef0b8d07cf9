/** Non-blocking writes to an inherited output. */
import { constants, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;

/** They own their descriptors, and would close them when collected. */
const sockets = new Map<number, Socket>();

/**
 * A non-blocking descriptor of the same output. A blocked write would hold a thread of Node's pool, of which there are
 * four, and the exit of the process. O_NONBLOCK belongs to the open file description, which other programs may share:
 * pipes and terminals are opened once more. Sockets, such as that of the system journal, cannot be (ENXIO), and get the
 * flag, which every Node program that uses `process.stdout` sets. If a program clears it between `stillWithoutWaiting`
 * and the write, that one write may wait: Node has no MSG_DONTWAIT. Regular files do not block; what can be neither is
 * used unchanged.
 */
export function withoutWaiting(fd: number): number {
  try {
    const stats = fstatSync(fd);
    if (stats.isSocket()) return withFlag(fd);
    if (!stats.isFIFO() && !stats.isCharacterDevice()) return fd;
    return openSync(`/proc/self/fd/${String(fd)}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return fd;
  }
}

/** Node sets the flag when it takes over a descriptor; the end of a thread would close what it took over, for all. */
function withFlag(fd: number): number {
  if (isMainThread && !sockets.has(fd)) sockets.set(fd, new Socket({ fd, readable: false, writable: true }));
  return fd;
}

/** The handle of a socket, as far as it is used here; Node's types do not have it. */
interface Handle {
  setBlocking?: (isBlocking: boolean) => void;
}

/**
 * Call it before each write to a descriptor of `withoutWaiting`: Node removes the flag of a socket from the outputs that
 * a child process inherits, and from its own when it exits.
 */
export function stillWithoutWaiting(fd: number): number {
  const { _handle: handle } = (sockets.get(fd) ?? {}) as { readonly _handle?: Handle | null };
  handle?.setBlocking?.(false);
  return fd;
}
