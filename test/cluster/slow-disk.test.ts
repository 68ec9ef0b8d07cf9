/**
 * An etcd that stands still for seconds, again and again, and one whose disk takes a second for each fsync: writes wait,
 * none is lost or done twice; what needs no etcd is answered meanwhile; the controllers' lease stays where it is while
 * etcd stands still; watches go on.
 */
import { startEtcdCluster, type EtcdCluster, type EtcdMember } from '../support/etcd/cluster.ts';
import { makeServicePki, startReplica, type Replica } from '../support/replica.ts';
import { slowSync } from '../support/slow-sync.ts';
import { waitFor, within } from '../support/wait-for.ts';
import { Counter, judgeCounts } from './support/counters.ts';
import { Observer } from './support/observer.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const lease = '/apis/coordination.orch.io/v1/namespaces/orch-system/leases/orch-controller-manager';
/** How long etcd stands still each time, in milliseconds. */
const pauses = [1_000, 2_000, 3_000, 3_000];
/** How long an fsync takes, in milliseconds: a write waits for one or two, and the next commit of the database. */
const syncMs = 1_000;
const stack = new AsyncDisposableStack();
let etcd: EtcdCluster;
let replicas: readonly [Replica, Replica];

beforeAll(async () => {
  etcd = stack.use(await startEtcdCluster({ how: 'process', fsync: true }));
  const pki = stack.use(await makeServicePki());
  const args = ['--etcd-compaction-interval=1s'];
  replicas = [
    stack.use(await startReplica({ etcd, pki, args })),
    stack.use(await startReplica({ etcd, pki, args })),
  ];
}, 60_000);

afterAll(() => stack.disposeAsync());

interface Election {
  readonly holderIdentity?: string;
  readonly leaseTransitions?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
}

async function election(): Promise<Election> {
  return (await replicas[0].admin.ok('GET', lease))['spec'] as Election;
}

async function renewal(): Promise<void> {
  const { renewTime } = await election();
  // Another one may have to wait for the end of the lease.
  const isRenewed = async (): Promise<boolean> => (await election()).renewTime !== renewTime;
  await waitFor('a renewal', isRenewed, { timeout: 60_000 });
}

/** Old enough states are read at both replicas until the time is up; gives how many. */
async function readMeanwhile(ms: number): Promise<number> {
  const end = performance.now() + ms;
  let count = 0;
  while (performance.now() < end) {
    for (const { admin } of replicas)
      for (const path of ['/api/v1/namespaces?resourceVersion=0', `${maps}/counter-0?resourceVersion=0`]) {
        // Whoever asks etcd gets no answer before it goes on.
        expect((await within(path, 5_000, admin.get(path))).status).toBe(200);
        count += 1;
      }
  }
  return count;
}

async function standStill(member: EtcdMember, ms: number): Promise<void> {
  await member.pause();
  try {
    expect(await readMeanwhile(ms)).toBeGreaterThan(0);
  } finally {
    await member.resume();
  }
}

/** Each counter is increased twice while the disk is slow. */
async function withSlowDisk(member: EtcdMember, counters: readonly Counter[]): Promise<void> {
  const slow = member.pid ? await slowSync(member.pid(), syncMs) : 'etcd is no process of this machine';
  if (typeof slow === 'string') {
    process.stderr.write(`left out: fsync is as fast as ever: ${slow}\n`);
    return;
  }
  await using _slow = slow;
  const goals = counters.map(({ acknowledged }) => acknowledged + 2);
  const isDone = (): boolean => counters.every(({ acknowledged }, i) => acknowledged >= goals[i]!);
  const end = performance.now() + 60_000;
  do expect(await readMeanwhile(500)).toBeGreaterThan(0);
  while (!isDone() && performance.now() < end);
  expect(isDone()).toBe(true);
  expect(slow.count()).toBeGreaterThan(2);
}

test('writes wait and none is lost or doubled, other reads and watches go on, the same one leads', async () => {
  const [first, second] = replicas;
  const counters = [0, 1].map((i) => {
    const client = replicas[i]!.admin;
    return new Counter({
      name: `client-${String(i)}`,
      client,
      collection: maps,
      object: `counter-${String(i)}`,
    });
  });
  for (const { object } of counters) await first.admin.ok('POST', maps, { metadata: { name: object } });
  await waitFor('a leader', async () => (await election()).holderIdentity);
  const before = await election();
  const from = (await second.admin.list(maps)).metadata.resourceVersion;
  const observers = replicas.map(
    ({ admin }, i) =>
      new Observer({ name: `watch ${String(i)}`, client: () => admin, collection: maps, from }),
  );
  const watching = observers.map((observer) => observer.run());
  const load = new AbortController();
  const writing = counters.map((counter) => counter.run(load.signal));
  try {
    for (const ms of pauses) {
      const goals = counters.map(({ acknowledged }) => acknowledged + 4);
      await waitFor(
        'further writes',
        () => counters.every(({ acknowledged }, i) => acknowledged >= goals[i]!),
        {
          timeout: 30_000,
        },
      );
      // The longest time until the lease runs out.
      await renewal();
      await standStill(etcd.members[0]!, ms);
    }
    await renewal();
    const after = await election();
    expect([after.holderIdentity, after.leaseTransitions, after.acquireTime]).toEqual([
      before.holderIdentity,
      before.leaseTransitions,
      before.acquireTime,
    ]);
    // A renewal may take so long here that another one leads afterwards.
    await withSlowDisk(etcd.members[0]!, counters);
    await renewal();
    load.abort();
    await within('the counters to end', 30_000, Promise.all(writing));
    // The version of a list may be that of a write elsewhere, which no event tells.
    const { metadata } = await second.admin.ok('POST', maps, { metadata: { name: 'the-end' } });
    const { items } = await second.admin.list(maps);
    expect(judgeCounts(items, counters)).toEqual([]);
    await waitFor('the watches to tell all', () =>
      observers.every(({ last }) => last >= BigInt(metadata.resourceVersion)),
    );
    for (const { events, errors, starts } of observers) {
      expect([errors, starts]).toEqual([[], 1]);
      const told = new Set(events.map(({ object }) => object.metadata.resourceVersion));
      expect(told.size).toBe(events.length);
      const acknowledged = counters.flatMap(({ versions }) => versions);
      expect(acknowledged.filter((version) => !told.has(version))).toEqual([]);
    }
  } finally {
    load.abort();
    for (const observer of observers) observer.stop();
    await Promise.all([...writing, ...watching]);
  }
}, 180_000);
