/** Keeps all processors busy while something runs, as a machine with too much to do. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** Threads for each processor. */
const times = 2;

/** Runs it beside threads that never rest; they end with it. */
export async function onBusyMachine<T>(run: () => Promise<T>): Promise<T> {
  const threads = Array.from(
    { length: times * availableParallelism() },
    () => new Worker('for (;;) {}', { eval: true }),
  );
  try {
    return await run();
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}
