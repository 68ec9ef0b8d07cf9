/** The program of a write thread; started by `write-thread.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import type { FromThread, ThreadOrder, ToThread } from './messages.ts';
import { ThreadLife } from './thread-life.ts';

const port = parentPort;
if (!port) throw new Error('a write thread is started by the serving thread');

const life = new ThreadLife(workerData as ThreadOrder, (message: FromThread, memory = []) => {
  port.postMessage(message, [...memory]);
});
port.on('message', (message: ToThread) => {
  life.hear(message);
});
await life.start();
