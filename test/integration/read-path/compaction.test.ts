/** Compaction by the processes themselves: one of two compacts, what is younger than an interval stays, tokens end. */
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import type { ApiList } from '../../support/client.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { makeServicePki, startReplica, type Replica, type ServicePki } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  change,
  configMaps,
  create,
  createMany,
  etcdClient,
  metricOf,
  namespace,
  versionOf,
} from '../../support/read-path.ts';

const intervalMs = 2_000;

let etcd: EtcdCluster;
let pki: ServicePki;
let client: EtcdClient;

beforeEach(async () => {
  etcd = await startEtcdCluster({ how: 'process' });
  pki = await makeServicePki();
  client = etcdClient(etcd);
});

afterEach(async () => {
  client.close();
  await pki.close();
  await etcd.close();
});

function start(interval: string): Promise<Replica> {
  return startReplica({ etcd, pki, args: ['--controllers=', `--etcd-compaction-interval=${interval}`] });
}

const compactionsOf = (replica: Replica): Promise<number> =>
  metricOf(replica, 'etcd_request_duration_seconds_count', 'operation="compact"');

/** Whether etcd still has the state at a revision. */
function isKept(revision: number): Promise<boolean> {
  return client.range({ key: Buffer.from('x'), revision }).then(
    () => true,
    () => false,
  );
}

interface Write {
  readonly revision: number;
  readonly at: number;
}

/** The writes younger than an interval whose revisions are compacted, looked at oldest first. */
async function lostYoung(written: readonly Write[]): Promise<Write[]> {
  const young = written.find(({ at }) => performance.now() - at < intervalMs * 0.9);
  if (young === undefined || (await isKept(young.revision))) return [];
  return performance.now() - young.at < intervalMs ? [young] : [];
}

test('two replicas compact once per interval together, never what is younger; older tokens get a fresh one', async () => {
  await using first = await start('2s');
  await using second = await start('2s');
  await first.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await createMany(first, ['a', 'b', 'c', 'd']);
  const page = await first.admin.list(`${configMaps}?limit=1`);
  const begun = performance.now();
  const written: Write[] = [];
  const lost: Write[] = [];
  const total = async (): Promise<number> => (await compactionsOf(first)) + (await compactionsOf(second));
  const before = await total();
  await waitFor(
    'three compactions',
    async () => {
      const at = performance.now();
      const revision = versionOf(await change(first, 'a', String(written.length)));
      written.push({ revision, at });
      lost.push(...(await lostYoung(written)));
      return (await total()) - before >= 3;
    },
    { timeout: 30_000 },
  );
  expect(lost).toEqual([]);
  const intervals = (performance.now() - begun) / intervalMs;
  expect((await total()) - before).toBeLessThanOrEqual(Math.ceil(intervals));
  expect(await isKept(written[0]?.revision ?? 0)).toBe(false);
  await expectFreshToken(second, page);
  const watch = await second.admin.get(`${configMaps}?watch=true&resourceVersion=1`);
  expect(watch.json()).toMatchObject({ code: 410, reason: 'Expired' });
});

/** A replica that does not hold the old state refuses its token, and gives one that goes on in the newest. */
async function expectFreshToken(replica: Replica, page: ApiList): Promise<void> {
  await create(replica, 'b-new');
  const refused = await replica.admin.get(`${configMaps}?limit=9&continue=${page.metadata.continue ?? ''}`);
  const status = refused.json() as unknown as ApiList;
  expect([refused.status, status['reason']]).toEqual([410, 'Expired']);
  const rest = await replica.admin.list(`${configMaps}?limit=9&continue=${status.metadata.continue ?? ''}`);
  expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(['b', 'b-new', 'c', 'd']);
}

test('a token ends with its history, however often it is used and whether or not anything changed since', async () => {
  await using first = await start('2s');
  await using second = await start('2s');
  await first.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await createMany(first, ['a', 'b', 'c', 'd']);
  const begun = performance.now();
  const calm = await first.admin.list('/api/v1/namespaces?limit=1');
  const page = await first.admin.list(`${configMaps}?limit=1`);
  await change(first, 'a', '1');
  const paths = [
    `${configMaps}?limit=2&continue=${page.metadata.continue ?? ''}`,
    `/api/v1/namespaces?limit=2&continue=${calm.metadata.continue ?? ''}`,
  ];
  const outcomes = await Promise.all(
    [first, second].flatMap((replica) => paths.map((path) => endOf(replica, path))),
  );
  for (const { endedAt, status } of outcomes) {
    expect(status).toMatchObject({ code: 410, reason: 'Expired' });
    // Not before the interval, and not long after the second one: the first only learns where history begins.
    expect((endedAt - begun) / intervalMs).toBeGreaterThan(0.9);
    expect((endedAt - begun) / intervalMs).toBeLessThan(3.5);
  }
  const fresh = (outcomes[0]?.status as unknown as ApiList).metadata.continue ?? '';
  const rest = await second.admin.list(`${configMaps}?limit=9&continue=${fresh}`);
  expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(['b', 'c', 'd']);
});

/** Asks for a chunk again and again until it is refused. */
async function endOf(replica: Replica, path: string): Promise<{ endedAt: number; status: object }> {
  return waitFor(
    'the token to end',
    async () => {
      const answer = await replica.admin.get(path);
      return answer.status === 200 ? undefined : { endedAt: performance.now(), status: answer.json() };
    },
    { timeout: 20_000, interval: 100 },
  );
}

test('an interval of 0 disables compaction; other compactions are respected', async () => {
  await using replica = await start('0');
  await using other = await start('1s');
  await replica.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await waitFor('the other to compact', async () => {
    await replica.admin.ok('POST', configMaps, { metadata: { generateName: 'x-' } });
    return (await compactionsOf(other)) >= 2;
  });
  expect(await compactionsOf(replica)).toBe(0);
  expect(replica.logs()).not.toMatch(/history compacted|compaction failed/);
});
