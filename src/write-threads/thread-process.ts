/** Connects the thread to the serving thread. */
import { parentPort, workerData } from 'node:worker_threads';
import type { FromThread, ThreadOrder, ToThread } from './thread-messages.ts';
import { ThreadLife, type OpenWritePath } from './thread-life.ts';

/**
 * Runs until the serving thread ends it.
 * @throws Error if this is not a write thread
 */
export async function runThread(open: OpenWritePath): Promise<void> {
  const port = parentPort;
  if (!port) throw new Error('a write thread is started by the serving thread');
  const life = new ThreadLife(workerData as ThreadOrder, open, (message: FromThread, memory = []) => {
    port.postMessage(message, [...memory]);
  });
  port.on('message', (message: ToThread) => {
    life.hear(message);
  });
  await life.start();
}
