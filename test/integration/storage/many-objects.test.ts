/**
 * What a start with a million objects rests on: memory and processor time of a load grow with the number of objects, so
 * that a million costs a multiple of what is measured here, and no turn of the event loop is longer for it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import { Child } from '../../support/child-process.ts';
import { cpuBudget } from '../../support/cpu-time.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { nodeBinary, repositoryRoot } from '../../support/paths.ts';
import { directClient, pods } from '../../support/storage.ts';

interface Figures {
  readonly objects: number;
  readonly kept: number;
  readonly cpuMs: number;
  readonly longestTurnMs: number;
}

const few = 20_000;
const many = 4 * few;
/** Of a stored object, as of a small custom resource. */
const valueBytes = 400;

/** Bytes for each object beside those that are stored, as the guide plans. */
function planned(): number {
  const guide = readFileSync(join(repositoryRoot, 'deploy', 'README.md'), 'utf8');
  const [, perObject] = / MB \+ [\d.]+ × B \+ (\d+) bytes × N/.exec(guide) ?? [];
  return Number(perObject);
}

let cluster: EtcdCluster;
let etcd: EtcdClient;

beforeAll(async () => {
  cluster = await startEtcdCluster({ how: 'process' });
  etcd = directClient(cluster.endpoints);
  await fill('/few', few);
  await fill('/many', many);
}, 180_000);
afterAll(async () => {
  etcd.close();
  await cluster.close();
});

async function fill(prefix: string, count: number): Promise<void> {
  const atOnce = 100;
  for (let i = 0; i < count; i += atOnce) {
    const success = Array.from({ length: atOnce }, (_, n) => put(prefix, i + n));
    await etcd.txn({ compare: [], success, failure: [] });
  }
}

function put(prefix: string, n: number): { readonly request_put: Record<'key' | 'value', Buffer> } {
  const name = `pod-${String(n).padStart(7, '0')}`;
  const key = Buffer.from(`${prefix}/${pods}/default/${name}`);
  return { request_put: { key, value: Buffer.from(stored(name)) } };
}

/** Of `valueBytes`, with metadata, as whatever the service stores. */
function stored(name: string): string {
  const text = (data: string): string =>
    JSON.stringify({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name, namespace: 'default', creationTimestamp: '2024-01-01T00:00:00Z' },
      data,
    });
  return text('x'.repeat(valueBytes - text('').length));
}

async function loaded(prefix: string): Promise<Figures> {
  const args = [
    '--expose-gc',
    join(import.meta.dirname, 'load-program.ts'),
    cluster.endpoints[0] ?? '',
    prefix,
  ];
  const child = await Child.start({ name: 'load', program: nodeBinary(), args });
  await child.closed;
  expect((await child.exited).code).toBe(0);
  return JSON.parse(child.output()) as Figures;
}

test('a load costs in proportion: a million objects fit into the memory that the guide plans', async () => {
  const [less, more] = [await loaded('/few'), await loaded('/many')];
  console.log(JSON.stringify({ less, more }));
  expect([less.objects, more.objects]).toEqual([few, many]);
  // Texts lie behind each other in shared memory, which is counted neither to the heap nor to what it holds outside.
  expect((more.kept - less.kept) / (many - few)).toBeLessThan(planned());
  // Of processes alike, the larger work has the better compiled code.
  expect(more.cpuMs).toBeLessThan(1.5 * (many / few) * less.cpuMs);
  expect(more.longestTurnMs).toBeLessThan(cpuBudget(50));
}, 120_000);
