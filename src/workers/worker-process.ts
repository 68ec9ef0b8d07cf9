/** The process of a worker: its channel to the supervisor, and its end. */
import cluster from 'node:cluster';
import type { FromWorker, ToWorker, WorkerKind } from './messages.ts';
import { WorkerLife, type Runners } from './worker.ts';

/** After the end of its supervisor, and after its own, a worker is gone within this time whatever still goes on. */
const orphanMs = 5_000;
const leftoversMs = 1_000;

/** Resolves when the work has ended; what is left of the process ends soon after. */
export async function runWorkerProcess(runners: Runners): Promise<void> {
  const life = new WorkerLife(process.argv[2] as WorkerKind, runners, send);
  process.on('message', (message: ToWorker) => {
    life.hear(message);
  });
  // node:cluster would end the process on the spot.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  process.once('disconnect', () => {
    life.stop();
    exitWithin(orphanMs);
  });
  await life.run();
  if (process.connected) process.disconnect?.();
  exitWithin(leftoversMs);
}

/** A supervisor that is gone hears nothing; its end ends this process anyway. */
function send(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    const hasLeft = (): void => resolve();
    if (!process.connected || process.send?.(message, undefined, {}, hasLeft) === undefined) resolve();
  });
}

/** Only what keeps the process alive by itself can be cut by this. */
function exitWithin(ms: number): void {
  setTimeout(() => process.exit(), ms).unref();
}
