/**
 * Connections on their way to a worker. node:cluster holds each until the worker confirms it, and forgets it when the
 * worker ends before: its client would wait for an answer that nobody is to give. Here such a connection goes to another
 * worker, or is closed when there is none.
 *
 *   handed ──confirmed──▶ the worker's
 *      └──the worker is gone──▶ refused in its name ──▶ handed to another
 *
 * node:cluster tells of its messages as events of the child process: a number for each question (`seq`), which the
 * answer names (`ack`). A worker that refuses a connection while it stops answers with `accepted: false`.
 */
import type { ChildProcess } from 'node:child_process';

interface ClusterMessage {
  readonly cmd?: unknown;
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
}

/** A connection as node:cluster holds it. */
interface Handle {
  close(): void;
}

/** Watches over what is handed to this worker. `areOthersUp` is asked when it is gone. */
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
