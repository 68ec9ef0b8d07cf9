/** A raw loop of the transactions that creations or updates make, through the service's own client of etcd. */
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
  /** Updates of keys of their own instead of creations. */
  readonly updates?: boolean;
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
  const act = load.updates === true ? update : create;
  await act(client, value, { revision: 0, key: newKey() });
  const cpu = process.cpuUsage();
  const start = performance.now();
  const deadline = start + load.seconds * 1000;
  let count = 0;
  const loop = async (): Promise<void> => {
    const target = { revision: 0, key: newKey() };
    while (performance.now() < deadline) {
      const sent = performance.now();
      await act(client, value, target);
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

/** The key that a loop updates, with its last revision. */
interface Target {
  readonly key: Buffer;
  revision: number;
}

function newKey(): Buffer {
  keys += 1;
  return Buffer.from(`/bare/${process.pid}/${keys}`);
}

/** Guarded by the revision of the update before. */
async function update(client: EtcdClient, value: Buffer, target: Target): Promise<void> {
  const { key } = target;
  const compare: Compare[] = [{ result: 0, target: 2, key, mod_revision: target.revision }];
  const success = [{ request_put: { key, value } }];
  const answer = await client.txn({ compare, success, failure: [{ request_range: { key } }] });
  if (!answer.succeeded) throw new Error(`${key.toString()} was changed by somebody else`);
  target.revision = Number(answer.header.revision);
}

async function create(client: EtcdClient, value: Buffer): Promise<void> {
  const key = newKey();
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
