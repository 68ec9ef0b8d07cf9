/** The program of a worker; started by `pool.ts`, never by hand. */
import { enableCompileCache } from 'node:module';
import type { FromWorker, ToWorker } from './messages.ts';

enableCompileCache();
// A terminal sends Ctrl-C to every process; when to stop is for the first one to say.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => undefined);

const { WorkerLife } = await import('./worker.ts');

/** A first process that is gone hears nothing; its end ends this process anyway. */
const send = (message: FromWorker): Promise<void> =>
  new Promise((resolve) => {
    const hasLeft = (): void => resolve();
    if (!process.connected || process.send?.(message, undefined, {}, hasLeft) === undefined) resolve();
  });

const life = new WorkerLife(send);
process.on('message', (message: ToWorker) => {
  life.hear(message);
});
await life.run();
if (process.connected) process.disconnect?.();
