/** Ends of serving threads, as by a bug: an error that nothing catches. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { waitFor } from './wait-for.ts';

/** For the environment of a service whose threads are to end. */
export const endableThreads = {
  NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, 'ended-threads.mjs')).href}`,
};

/** A worker of a service that was started with `endableThreads`. */
interface ThreadedWorker {
  readonly pid: number;
  /** What the service printed. */
  readonly output: () => string;
}

/** Ends one serving thread, and waits until its end is told. */
export async function endServingThread({ pid, output }: ThreadedWorker): Promise<void> {
  const ends = (): number => output().split('a serving thread ended and is replaced').length;
  const before = ends();
  process.kill(pid, 'SIGURG');
  await waitFor('a thread to end', () => ends() > before, { timeout: 20_000, details: output });
}
