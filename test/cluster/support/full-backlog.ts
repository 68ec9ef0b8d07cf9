/** Listeners that take no connections: a frozen one whose kernel drops what asks for one, as a machine does that is gone. */
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

const batch = 256;
/** On loopback a connection takes less than a millisecond. */
const patienceMs = 200;

/**
 * Fills the queue of connections of a process that stands still, until the kernel answers no further one.
 * The caller disposes what it gets, after which a thawed process serves again.
 */
export async function fillBacklog(port: number): Promise<Disposable> {
  const sockets: Socket[] = [];
  while (await connects(port, sockets));
  return {
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Opens a batch; false when some of it got no answer. */
async function connects(port: number, into: Socket[]): Promise<boolean> {
  const sockets = Array.from({ length: batch }, () =>
    connect(port, '127.0.0.1').on('error', () => undefined),
  );
  into.push(...sockets);
  const late = AbortSignal.timeout(patienceMs);
  const done = sockets.map((socket) => once(socket, 'connect', { signal: late }));
  return (await Promise.allSettled(done)).every(({ status }) => status === 'fulfilled');
}
