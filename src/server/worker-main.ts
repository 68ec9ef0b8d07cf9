/** Entry point of a worker; started by the supervisor (`src/workers/pool.ts`). */
import '../base/older-node.ts';
import { systemEnvironment } from '../base/environment.ts';
import { boundHeapGrowth } from '../base/heap-growth.ts';
import { prepareProcess } from '../base/prepare-process.ts';
import type { Runners } from '../workers/worker.ts';

prepareProcess();
boundHeapGrowth();
// A terminal sends SIGINT and SIGHUP to every process; the supervisor decides when to stop.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

const { runWorkerProcess } = await import('../workers/worker-process.ts');

const runners: Runners = {
  serve: async () => {
    const { serveByThreads } = await import('./serve-by-threads.ts');
    return ({ config, ...task }, parts) =>
      serveByThreads(config, { ...task, ...parts, environment: systemEnvironment });
  },
  controllers: async () => {
    const { startControllerProcess } = await import('./controllers/run-process.ts');
    return async ({ config }, parts) => ({
      port: config.endpoint.securePort,
      ...(await startControllerProcess(config, { ...parts, environment: systemEnvironment })),
    });
  },
};

await runWorkerProcess(runners);
