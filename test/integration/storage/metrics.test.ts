/** What the storage tells while it works: how large etcd is, how far the view is behind, that history is compacted. */
import { execFileSync } from 'node:child_process';
import { etcdBinary } from '../../support/paths.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { forever, json, mostRecent, noMetrics, pods, startStorage } from '../../support/storage.ts';

let cluster: EtcdCluster;

beforeAll(async () => {
  cluster = await startEtcdCluster({ how: 'process', members: 3 });
});

afterAll(() => cluster.close());

test('the size and the release of each member that answers', async () => {
  const sizes = new Map<string, number>();
  const releases = new Map<string, string>();
  const observeDatabaseSize = (endpoint: string, bytes: number): void => void sizes.set(endpoint, bytes);
  const [first, ...others] = cluster.members;
  await first?.pause();
  const storage = await startStorage(cluster.endpoints, {
    metrics: {
      ...noMetrics,
      observeDatabaseSize,
      observeRelease: (endpoint, { version }) => releases.set(endpoint, version),
    },
    databaseSizeIntervalMs: 100,
  });
  try {
    await waitFor('the others', () => sizes.size === others.length);
    expect([...sizes.keys()].sort()).toEqual(others.map(({ endpoint }) => endpoint).sort());
    await first?.resume();
    await waitFor('all', () => sizes.size === cluster.members.length);
    expect(Math.min(...sizes.values())).toBeGreaterThan(4096);
    const installed = execFileSync(etcdBinary(), ['--version'], { encoding: 'utf8' });
    const [, version] = /etcd Version: (\S+)/.exec(installed) ?? [];
    await waitFor('all releases', () => releases.size === cluster.members.length);
    expect(new Set(releases.values())).toEqual(new Set([version]));
  } finally {
    await first?.resume();
    await storage.close();
  }
});

test('how long a read waited for the view, and each compaction', async () => {
  const waits: number[] = [];
  let compactions = 0;
  const storage = await startStorage(cluster.endpoints, {
    prefix: '/told',
    compactionIntervalMs: 200,
    metrics: {
      ...noMetrics,
      observeReadWait: (seconds) => waits.push(seconds),
      observeCompaction: () => (compactions += 1),
    },
  });
  try {
    await storage.create(pods, 'ns/a', json(1));
    await storage.get(pods, 'ns/a', mostRecent, forever);
    await waitFor('a measured wait', () => waits.length > 0);
    expect(Math.max(...waits)).toBeLessThan(5);
    await waitFor('a compaction', () => compactions > 0);
    expect(storage.stats().compactions).toBeGreaterThanOrEqual(compactions);
  } finally {
    await storage.close();
  }
});
