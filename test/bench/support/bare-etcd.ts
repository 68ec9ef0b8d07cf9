/** A raw loop of the transactions that creations make, through the service's own client of etcd. */
import { EtcdClient } from '../../../src/storage/etcd/client.ts';
import type { Compare } from '../../../src/storage/etcd/messages.ts';
import { defaultTimes } from '../../../src/storage/options.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { Histogram } from './histogram.ts';
import type { RunReport } from './run.ts';

export interface BareEtcdLoad {
  readonly endpoints: readonly string[];
  readonly concurrency: number;
  readonly seconds: number;
  readonly valueBytes: number;
}

const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };
let keys = 0;

function ignore(): void {
  // Nobody reads the log of a bench.
}

async function run(load: BareEtcdLoad): Promise<RunReport> {
  const options = { endpoints: load.endpoints, logger: silent, metrics: { observeEtcdRequest: ignore } };
  const client = new EtcdClient({ options, times: defaultTimes, clock: systemClock });
  const value = Buffer.alloc(load.valueBytes, 'x');
  const latency = new Histogram();
  await create(client, value);
  const cpu = process.cpuUsage();
  const start = performance.now();
  const deadline = start + load.seconds * 1000;
  let count = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() < deadline) {
      const sent = performance.now();
      await create(client, value);
      latency.record(performance.now() - sent);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: load.concurrency }, loop));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  client.close();
  const loadCpuSeconds = (user + system) / 1e6;
  const bytes = count * load.valueBytes;
  return { count, errors: 0, bytes, seconds, loadCpuSeconds, latency: latency.toJSON(), firstByte: [] };
}

async function create(client: EtcdClient, value: Buffer): Promise<void> {
  keys += 1;
  const key = Buffer.from(`/bare/${process.pid}/${keys}`);
  const compare: Compare[] = [{ result: 0, target: 1, key, create_revision: 0 }];
  const success = [{ request_put: { key, value } }];
  const answer = await client.txn({ compare, success, failure: [{ request_range: { key } }] });
  if (!answer.succeeded) throw new Error(`${key.toString()} exists`);
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
