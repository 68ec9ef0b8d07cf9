/** The process of a worker: its channel to the supervisor, and its end. */
import cluster from 'node:cluster';
import type { FromWorker, ToWorker, WorkerKind } from './worker-messages.ts';
import { WorkerLife, type Runners } from './worker.ts';

/** A worker exits within this time after its supervisor or its work has ended. */
const orphanMs = 5_000;
const leftoversMs = 1_000;

/** Resolves when the work has ended; the process exits soon after. */
export async function runWorkerProcess(runners: Runners): Promise<void> {
  const life = new WorkerLife(process.argv[2] as WorkerKind, runners, send);
  process.on('message', (message: ToWorker) => {
    life.hear(message);
  });
  // Otherwise node:cluster would exit the process immediately.
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
  process.once('disconnect', () => {
    life.stop();
    exitWithin(orphanMs);
  });
  await life.run();
  if (process.connected) process.disconnect?.();
  exitWithin(leftoversMs);
}

/** Errors are ignored: the end of the supervisor ends this process anyway. */
function send(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    const hasLeft = (): void => resolve();
    if (!process.connected || process.send?.(message, undefined, {}, hasLeft) === undefined) resolve();
  });
}

/** The timer does not keep the process alive itself. */
function exitWithin(ms: number): void {
  setTimeout(() => process.exit(), ms).unref();
}
