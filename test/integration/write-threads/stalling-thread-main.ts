/** The program of a write thread that a write of a pod holds for ever. */
import { parentPort } from 'node:worker_threads';
import '../../../src/server/write-thread-main.ts';
import type { ToThread } from '../../../src/write-threads/thread-messages.ts';

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'perform' && message.write.resource.resource === 'pods') holdForever();
});

function holdForever(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0);
}
