/** Entry point of a serving thread; started by `src/workers/thread-pool.ts`. */
import '../base/older-node.ts';
import { parentPort } from 'node:worker_threads';
import { systemEnvironment } from '../base/environment.ts';
import { resolveOwnModules } from '../base/own-modules.ts';
import { keepCompiledCode, usePoolsOfWrites } from '../base/prepare-process.ts';
import { sharedCounts } from '../base/shared-counts.ts';
import { WorkerLife } from '../workers/worker.ts';
import type { FromWorker, ToWorker } from '../workers/worker-messages.ts';

usePoolsOfWrites();
keepCompiledCode();
resolveOwnModules();

const port = parentPort;
if (!port) throw new Error('a serving thread is started by the thread that follows etcd');

const life = new WorkerLife(
  'serve',
  {
    serve: async () => {
      const { startReplica } = await import('./replica.ts');
      return ({ config, countsAt, ...task }, parts) => {
        const own = { ...parts, counts: countsAt && sharedCounts(countsAt), environment: systemEnvironment };
        return startReplica(config, { ...task, ...own });
      };
    },
    controllers: () => Promise.reject(new Error('controllers run in the thread that follows etcd')),
  },
  (message: FromWorker) => {
    port.postMessage(message);
    return Promise.resolve();
  },
);
port.on('message', (message: ToWorker) => {
  life.hear(message);
});
await life.run();
// Timers and connections that are left must not keep the thread.
process.exit();
