/**
 * Connections in transfer to a worker. node:cluster holds each until the worker confirms it, but drops it if the
 * worker exits before: its client would wait forever. Here such a connection is passed to another worker, or closed
 * if there is none.
 *
 *   handed ──confirmed──▶ the worker's
 *      └──the worker exits──▶ refused on its behalf ──▶ handed to another
 *
 * The messages of node:cluster are events of the child process: requests are numbered (`seq`), responses refer to the
 * number (`ack`). A stopping worker refuses a connection with `accepted: false`.
 */
import type { ChildProcess } from 'node:child_process';

interface ClusterMessage {
  readonly cmd?: unknown;
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
}

/** A connection handle of node:cluster. */
interface Handle {
  close(): void;
}

/** Tracks the connections handed to this worker. `areOthersUp` is called when it exits. */
export function passOnUnconfirmed(worker: ChildProcess, areOthersUp: () => boolean): void {
  const unconfirmed = new Map<unknown, Handle>();
  noteHanded(worker, (seq, handle) => unconfirmed.set(seq, handle));
  worker.on('internalMessage', ({ ack }: ClusterMessage) => {
    unconfirmed.delete(ack);
  });
  worker.once('exit', () => {
    if (unconfirmed.size === 0) return;
    // At the end of its channel node:cluster takes a worker out of the round. Node does not tell of that end while a
    // handle is on its way; where node:cluster has not noticed by the exit either, it never would.
    if (worker.connected) worker.emit('disconnect');
    for (const [ack, handle] of unconfirmed) {
      if (areOthersUp()) worker.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
      else handle.close();
    }
  });
}

function noteHanded(worker: ChildProcess, note: (seq: unknown, handle: Handle) => void): void {
  const send = worker.send.bind(worker) as (...parts: unknown[]) => boolean;
  worker.send = (message: ClusterMessage, handle?: unknown, ...more: unknown[]): boolean => {
    if (message.cmd === 'NODE_CLUSTER' && message.act === 'newconn') note(message.seq, handle as Handle);
    return send(message, handle, ...more);
  };
}
