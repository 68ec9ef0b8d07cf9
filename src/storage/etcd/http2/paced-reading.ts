/** Reads of a connection to etcd, spread over turns of the event loop. */
import type { Readable } from 'node:stream';
import { eventLoop } from '../../../base/event-loop.ts';

/** Time in milliseconds after which a turn reads no more. */
const readingMs = 4;

/**
 * Calls back for each chunk. The event loop reads from a connection up to 32 times in a turn, 64 KiB each time: with what
 * follows each read, events of a busy etcd held the thread for 100 ms. Once the first read of a turn is 4 ms ago, the next
 * turn goes on. `ReadTurns` shares turns between connections by what each read costs by itself; here most of the cost follows in
 * microtasks, and there are few connections.
 */
export function paceReading(readable: Readable, onData: (chunk: Buffer) => void): void {
  let began: number | undefined;
  const goOn = (): void => {
    began = undefined;
    readable.resume();
  };
  readable.on('data', (chunk: Buffer) => {
    if (began === undefined) {
      began = eventLoop().now();
      eventLoop().nextTurn(goOn);
    }
    onData(chunk);
    if (eventLoop().now() - began > readingMs) readable.pause();
  });
}
