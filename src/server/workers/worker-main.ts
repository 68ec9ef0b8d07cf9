/** The program of a worker; started by `pool.ts`, never by hand. */
import cluster from 'node:cluster';
import { prepareProcess } from '../../base/prepare-process.ts';
import type { FromWorker, ToWorker, WorkerKind } from './messages.ts';

/** After the end of its supervisor, and after its own, a worker is gone within this time whatever still goes on. */
const orphanMs = 5_000;
const leftoversMs = 1_000;

prepareProcess();
// A terminal sends Ctrl-C to every process; when to stop is for the supervisor to say.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => undefined);

const { WorkerLife } = await import('./worker.ts');

/** A supervisor that is gone hears nothing; its end ends this process anyway. */
const send = (message: FromWorker): Promise<void> =>
  new Promise((resolve) => {
    const hasLeft = (): void => resolve();
    if (!process.connected || process.send?.(message, undefined, {}, hasLeft) === undefined) resolve();
  });

const life = new WorkerLife(process.argv[2] as WorkerKind, send);
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

/** Only what keeps the process alive by itself can be cut by this. */
function exitWithin(ms: number): void {
  setTimeout(() => process.exit(), ms).unref();
}
