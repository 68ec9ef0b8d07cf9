/**
 * The replica that leads the controllers stands still until another one leads, and wakes: it answers no fresh read with a
 * state of before, its watches miss nothing or say that they did, writes in flight are done once or not at all, and it
 * leaves the controllers to the other one.
 */
import { freeze } from '../support/child-process.ts';
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { workersOf } from '../support/processes.ts';
import { etcdClient, metricOf } from '../support/read-path.ts';
import { makeServicePki, startReplica, type Replica, type ServicePki } from '../support/replica.ts';
import { waitFor, within } from '../support/wait-for.ts';
import { Counter, judgeCounts } from './support/counters.ts';
import { Observer } from './support/observer.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const lease = '/apis/coordination.orch.io/v1/namespaces/orch-system/leases/orch-controller-manager';
const stack = new AsyncDisposableStack();
let etcd: EtcdCluster;
let pki: ServicePki;
let frozen: Replica;
let other: Replica;

beforeAll(async () => {
  etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  pki = stack.use(await makeServicePki());
  const args = ['--etcd-compaction-interval=1s'];
  frozen = stack.use(await startReplica({ etcd, pki, args }));
  await waitFor('a leader', async () => (await election(frozen)).holderIdentity);
  other = stack.use(await startReplica({ etcd, pki, args }));
}, 60_000);

afterAll(() => stack.disposeAsync());

interface Election {
  readonly holderIdentity?: string;
  readonly leaseTransitions?: number;
  readonly renewTime?: string;
}

async function election(replica: Replica): Promise<Election> {
  return (await replica.admin.ok('GET', lease))['spec'] as Election;
}

const leads = (replica: Replica): Promise<number> => metricOf(replica, 'leader_election_master_status');
const workDone = (replica: Replica): Promise<number> =>
  metricOf(replica, 'workqueue_work_duration_seconds_count');

/** All processes of a replica stand still until the function that it gives is called. */
async function standStill(replica: Replica): Promise<() => void> {
  const wake = (): void => replica.signal('SIGCONT');
  // Before those that it watches: a supervisor would take the stillness of a worker for its end.
  const pids = [replica.supervisorPid, ...workersOf(replica.supervisorPid)];
  stack.defer(wake);
  for (const pid of pids) await freeze(pid);
  return wake;
}

/** Whether etcd has forgotten the state at a version. */
async function isCompacted(version: string): Promise<boolean> {
  const client = etcdClient(etcd);
  try {
    await client.range({ key: Buffer.from('x'), revision: Number(version) });
    return false;
  } catch (error) {
    return String(error).includes('compacted');
  } finally {
    client.close();
  }
}

function told({ events }: Observer): string[] {
  return events.map(
    ({ type, object }) => `${type} ${object.metadata.name} ${object.metadata.resourceVersion}`,
  );
}

/** The other one leads, has written a good deal, and etcd has forgotten the time before. */
async function otherTakesOver(before: Election, counters: readonly Counter[]): Promise<void> {
  const { metadata } = await other.admin.ok('POST', maps, { metadata: { name: 'after-the-freeze' } });
  const isOver = async (): Promise<boolean> =>
    (await election(other)).holderIdentity !== before.holderIdentity;
  await waitFor('the other to lead', isOver, { timeout: 30_000 });
  // More than etcd keeps ready for one that does not read.
  const padding = 'x'.repeat(500_000);
  for (let i = 0; i < 30; i += 1)
    await other.admin.ok('PUT', `${maps}/after-the-freeze`, {
      metadata: { name: 'after-the-freeze' },
      data: { padding },
    });
  await waitFor('further writes', () => counters.some(({ acknowledged }) => acknowledged > 10));
  await waitFor('a compaction', () => isCompacted(metadata.resourceVersion));
}

/** What the frozen one was asked for before it woke, and at once after it. */
async function expectFreshReads(wake: () => void): Promise<void> {
  const path = `${maps}/marker`;
  await other.admin.ok('PUT', path, { metadata: { name: 'marker' }, data: { value: 'after' } });
  const made = await other.admin.ok('POST', maps, { metadata: { name: 'new' } });
  const asked = [frozen.admin.get(path), frozen.admin.get(maps)];
  wake();
  asked.push(frozen.admin.get(path), frozen.admin.get(maps), frozen.admin.get(`${maps}/new`));
  const answers = await within('the first reads', 30_000, Promise.all(asked));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  for (const { text } of [answers[0]!, answers[2]!])
    expect(JSON.parse(text)).toMatchObject({ data: { value: 'after' } });
  for (const { text } of [answers[1]!, answers[3]!]) {
    expect(text).toContain('"name":"new"');
    expect(text).toContain('"value":"after"');
  }
  expect(answers[4]!.json().metadata.resourceVersion).toBe(made.metadata.resourceVersion);
}

/** The other one goes on as the leader and works; the one that woke does nothing. */
async function expectOneLeader(before: Election): Promise<void> {
  await waitFor('the end of the former term', async () => (await leads(frozen)) === 0);
  const { renewTime, ...after } = await election(other);
  const done = await workDone(frozen);
  expect(after.holderIdentity).not.toBe(before.holderIdentity);
  expect(after.leaseTransitions).toBe((before.leaseTransitions ?? 0) + 1);
  await frozen.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'passing' } });
  await waitFor('its account', async () => {
    return (await frozen.admin.get('/api/v1/namespaces/passing/serviceaccounts/default')).status === 200;
  });
  await frozen.admin.ok('DELETE', '/api/v1/namespaces/passing');
  await waitFor(
    'it to go',
    async () => (await frozen.admin.get('/api/v1/namespaces/passing')).status === 404,
  );
  await waitFor('a renewal', async () => (await election(other)).renewTime !== renewTime);
  expect(await election(frozen)).toMatchObject(after);
  expect(await Promise.all([leads(frozen), leads(other), workDone(frozen)])).toEqual([0, 1, done]);
}

/** All that the watch at the other one tells, or its beginning and then 410. */
async function expectNoGap(ofFrozen: Observer, ofOther: Observer): Promise<void> {
  // The version of a list may be that of a write elsewhere, which no event tells.
  const { metadata } = await other.admin.ok('POST', maps, { metadata: { name: 'the-end' } });
  const end = BigInt(metadata.resourceVersion);
  await waitFor('the watch at the other one', () => ofOther.last >= end);
  await waitFor('the watch at the frozen one', () => ofFrozen.last >= end || ofFrozen.errors.length > 0);
  expect(ofOther.errors).toEqual([]);
  const all = told(ofOther);
  const part = told(ofFrozen);
  process.stderr.write(
    `${String(part.length)} of ${String(all.length)} events in ${String(ofFrozen.starts)} watches ${ofFrozen.errors[0] ?? ''}\n`,
  );
  for (const error of ofFrozen.errors) expect(error).toContain('410');
  expect(part).toEqual(ofFrozen.errors.length === 0 ? all : all.slice(0, part.length));
}

test('the leader stands still until another one leads, and wakes', async () => {
  const names = ['shared', 'of-frozen', 'of-other'];
  for (const name of [...names, 'marker']) await frozen.admin.ok('POST', maps, { metadata: { name } });
  const counter = (replica: Replica, name: string, object: string): Counter =>
    new Counter({ name, client: replica.admin, collection: maps, object });
  const ofFrozen = [counter(frozen, 'a', 'shared'), counter(frozen, 'b', 'of-frozen')];
  const ofOther = [counter(other, 'c', 'shared'), counter(other, 'd', 'of-other')];
  const counters = [...ofFrozen, ...ofOther];
  const from = (await frozen.admin.list(maps)).metadata.resourceVersion;
  const observers = [frozen, other].map(
    ({ admin }, i) =>
      new Observer({ name: `watch ${String(i)}`, client: () => admin, collection: maps, from }),
  );
  const watching = observers.map((observer) => observer.run());
  const load = new AbortController();
  const writing = ofFrozen.map((each) => each.run(load.signal));
  try {
    await waitFor('writes', () => ofFrozen.every(({ acknowledged }) => acknowledged > 10));
    expect(await leads(frozen)).toBe(1);
    const before = await election(frozen);
    const wake = await standStill(frozen);
    writing.push(...ofOther.map((each) => each.run(load.signal)));
    await otherTakesOver(before, ofOther);
    await expectFreshReads(wake);
    await frozen.ready();
    await expectOneLeader(before);
    const goals = ofFrozen.map(({ acknowledged }) => acknowledged + 4);
    await waitFor(
      'further writes',
      () => ofFrozen.every(({ acknowledged }, i) => acknowledged >= goals[i]!),
      {
        timeout: 30_000,
      },
    );
    load.abort();
    await within('the counters to end', 30_000, Promise.all(writing));
    expect(judgeCounts((await frozen.admin.list(maps)).items, counters)).toEqual([]);
    await expectNoGap(observers[0]!, observers[1]!);
  } finally {
    load.abort();
    for (const observer of observers) observer.stop();
    await Promise.all([...writing, ...watching]);
  }
}, 120_000);
