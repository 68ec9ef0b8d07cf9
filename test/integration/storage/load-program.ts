/** Loads the whole state of an etcd in a process of its own, and prints what that took as JSON: arguments are endpoint and prefix. */
import { createEtcdStorage } from '../../../src/storage/storage.ts';
import { turnsOf } from '../../support/turns.ts';

const [endpoint = '', prefix = ''] = process.argv.slice(2);
/** Its objects have kind and version, as the service stores them. */
const itemHead = Buffer.alloc(0);
const log = (): void => undefined;
const { gc } = globalThis as { gc?: () => void };

/** Bytes that are kept: of objects on the heap, and of those outside of it. */
function keptBytes(): number {
  gc?.();
  gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const before = keptBytes();
const started = process.cpuUsage();
const storage = await createEtcdStorage({
  endpoints: [endpoint],
  prefix,
  compactionIntervalMs: 0,
  itemHead: () => itemHead,
  metrics: { observeEtcdRequest: log },
  logger: { debug: log, info: log, warn: log, error: log },
});
const turns = await turnsOf(() => storage.ready());
const { user, system } = process.cpuUsage(started);
const { objects } = storage.stats();
const figures = {
  objects,
  kept: keptBytes() - before,
  cpuMs: (user + system) / 1_000,
  longestTurnMs: turns[0],
};
console.log(JSON.stringify(figures));
await storage.close();
