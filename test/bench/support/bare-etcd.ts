/** A raw loop of the transactions that creations or updates make. */
import { Histogram } from './histogram.ts';
import { newTarget, openRawTransactions, type ClientKind } from './raw-transactions.ts';
import type { RunReport } from './run.ts';

export interface BareEtcdLoad {
  readonly endpoints: readonly string[];
  readonly concurrency: number;
  readonly seconds: number;
  readonly valueBytes: number;
  /** Updates of keys of their own instead of creations. */
  readonly updates?: boolean;
  /** The service's own when absent. */
  readonly client?: ClientKind;
}

async function run(load: BareEtcdLoad): Promise<RunReport> {
  const { client = 'own', endpoints, updates = false } = load;
  const raw = openRawTransactions(client, endpoints);
  const value = Buffer.alloc(load.valueBytes, 'x');
  const latency = new Histogram();
  await raw.create(value);
  const cpu = process.cpuUsage();
  const start = performance.now();
  const deadline = start + load.seconds * 1000;
  let count = 0;
  const loop = async (): Promise<void> => {
    const target = newTarget();
    while (performance.now() < deadline) {
      const sent = performance.now();
      await (updates ? raw.update(target, value) : raw.create(value));
      latency.record(performance.now() - sent);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: load.concurrency }, loop));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  raw.close();
  const loadCpuSeconds = (user + system) / 1e6;
  const bytes = count * load.valueBytes;
  return { count, errors: 0, bytes, seconds, loadCpuSeconds, latency: latency.toJSON(), firstByte: [] };
}

process.on('message', (load: BareEtcdLoad) => {
  run(load).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      throw error;
    },
  );
});
process.on('disconnect', () => process.exit());
