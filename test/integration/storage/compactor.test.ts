/** Compaction agreed between replicas: one compacts, and never what is younger than an interval. */
import { useEtcd } from '../../support/etcd/used-etcd.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import { json, pods, startStorage } from '../../support/storage.ts';

const used = useEtcd();
const intervalMs = 600;

/** True when etcd still has the state at a revision. */
async function isKept(revision: number): Promise<boolean> {
  return used.client.range({ key: Buffer.from('x'), revision }).then(
    () => true,
    () => false,
  );
}

interface Write {
  readonly revision: number;
  readonly at: number;
}

/** What was written less than an interval ago, and still is when etcd has answered, must be there. */
async function expectYoungKept(written: readonly Write[]): Promise<void> {
  for (const { revision, at } of written.filter((write) => performance.now() - write.at < intervalMs * 0.8)) {
    const kept = await isKept(revision);
    if (performance.now() - at < intervalMs) expect(kept).toBe(true);
  }
}

test('of two replicas one compacts each time, and only what is an interval old', async () => {
  const options = { prefix: '/both', compactionIntervalMs: intervalMs };
  const started = performance.now();
  const replicas = [
    await startStorage(used.cluster.endpoints, options),
    await startStorage(used.cluster.endpoints, options),
  ];
  const [first] = replicas as [EtcdStorage];
  const written: Write[] = [];
  const compactions = (): number => replicas.reduce((sum, replica) => sum + replica.stats().compactions, 0);
  const isFirstKept = async (): Promise<boolean> => written[0] === undefined || isKept(written[0].revision);
  try {
    while (compactions() < 3 || (await isFirstKept())) {
      const at = performance.now();
      const { revision } = await first.create(pods, `p${String(written.length)}`, json(1));
      written.push({ revision, at });
      await expectYoungKept(written);
      expect(performance.now() - started).toBeLessThan(40_000);
    }
    expect(compactions()).toBeLessThanOrEqual(Math.floor((performance.now() - started) / intervalMs));
    expect(await isKept(written.at(-1)?.revision ?? 0)).toBe(true);
  } finally {
    await Promise.all(replicas.map((replica) => replica.close()));
  }
});

test('when the one that compacts is gone, the other takes over', async () => {
  const options = { prefix: '/over', compactionIntervalMs: intervalMs / 2 };
  const replicas = [
    await startStorage(used.cluster.endpoints, options),
    await startStorage(used.cluster.endpoints, options),
  ];
  const active = await waitFor('a compaction', () =>
    replicas.find((replica) => replica.stats().compactions > 0),
  );
  const rest = replicas.find((replica) => replica !== active);
  const before = rest?.stats().compactions ?? 0;
  await active.close();
  await waitFor('the other to compact', () => (rest?.stats().compactions ?? 0) > before);
  await rest?.close();
});

test('an interval of 0 compacts nothing', async () => {
  const storage = await startStorage(used.cluster.endpoints, { prefix: '/none', compactionIntervalMs: 0 });
  const { revision } = await storage.create(pods, 'a', json(1));
  expect(await isKept(revision)).toBe(true);
  expect(storage.stats().compactions).toBe(0);
  await storage.close();
});

test('a collection that is empty and that nobody uses is forgotten after some compactions', async () => {
  const storage = await startStorage(used.cluster.endpoints, { prefix: '/gone', compactionIntervalMs: 200 });
  try {
    const { revision } = await storage.create('example.com/widgets', 'a', json(1));
    await storage.delete('example.com/widgets', 'a', revision);
    const known = (): string[] => Array.from(storage.objectCounts(), ([id]) => id);
    await waitFor('both events', () => known().includes('example.com/widgets'));
    const options = { timeout: 30_000, details: () => known().join() };
    await waitFor('it to be forgotten', () => !known().includes('example.com/widgets'), options);
  } finally {
    await storage.close();
  }
}, 60_000);
