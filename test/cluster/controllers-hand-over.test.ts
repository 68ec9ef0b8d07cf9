/**
 * Controllers as processes of their own: one of two acts, and the other takes over when it is killed. Whoever acts, in
 * etcd's history nothing is left in a namespace that goes, and garbage goes after its owners and not before.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../support/child-process.ts';
import { workersOf } from '../support/processes.ts';
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { truthOf } from '../support/histories/etcd-truth.ts';
import { finalizersHold } from '../support/histories/invariants/finalizers.ts';
import { garbageIsCollected } from '../support/histories/invariants/garbage.ts';
import { namespacesEndEmpty } from '../support/histories/invariants/namespaces.ts';
import { entryPoint, nodeBinary } from '../support/paths.ts';
import { makeServicePki, startReplica, type Replica, type ServicePki } from '../support/replica.ts';
import { waitFor } from '../support/wait-for.ts';

let cluster: EtcdCluster;
let pki: ServicePki;
let replica: Replica;
const children: Child[] = [];

beforeAll(async () => {
  cluster = await startEtcdCluster({ how: 'process' });
  pki = await makeServicePki();
  replica = await startReplica({ etcd: cluster, pki, args: ['--controllers='] });
});

afterAll(async () => {
  await Promise.all(children.map((child) => child.stop(10_000)));
  await replica.close();
  await pki.close();
  await cluster.close();
});

function kubeconfig(): string {
  const file = join(pki.folder, 'kubeconfig');
  const config = {
    clusters: [
      { name: 'c', cluster: { server: replica.url, 'certificate-authority': pki.authority.caFile } },
    ],
    users: [
      { name: 'u', user: { 'client-certificate': pki.admin.certFile, 'client-key': pki.admin.keyFile } },
    ],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

async function startControllers(): Promise<Child> {
  const child = await Child.start({
    name: 'controllers',
    program: nodeBinary(),
    args: [entryPoint(), 'controllers', `--kubeconfig=${kubeconfig()}`, '--secure-port=0'],
  });
  children.push(child);
  // From then on it is a candidate; a busy machine takes its time until there.
  await waitFor('a candidate', () => child.output().includes('while this process is the leader'), {
    timeout: 30_000,
    details: () => child.output(),
  });
  return child;
}

/** The process of it that holds the lease. */
function workerOf(controllers: Child): number {
  return workersOf(controllers.pid)[0] ?? 0;
}

const leasePath = '/apis/coordination.orch.io/v1/namespaces/orch-system/leases/orch-controller-manager';

/** Process id of the holder, 0 while nobody holds the lease, and since when it does. */
async function holding(): Promise<{ pid: number; since: number }> {
  const answer = await replica.admin.get(leasePath);
  if (answer.status !== 200) return { pid: 0, since: 0 };
  const { spec } = JSON.parse(answer.text) as { spec: { holderIdentity?: string; acquireTime?: string } };
  return {
    pid: Number(spec.holderIdentity?.split('_')[1] ?? 0),
    since: Date.parse(spec.acquireTime ?? ''),
  };
}

async function leader(): Promise<number> {
  return (await holding()).pid;
}

async function namespaceComesAndGoes(name: string): Promise<void> {
  await replica.admin.post('/api/v1/namespaces', { metadata: { name } });
  await replica.admin.post(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: 'inside' } });
  await replica.admin.delete(`/api/v1/namespaces/${name}`);
  const isGone = async (): Promise<boolean> =>
    (await replica.admin.get(`/api/v1/namespaces/${name}`)).status === 404;
  await waitFor(`namespace ${name} to go`, isGone, { timeout: 15_000 });
}

const maps = '/api/v1/namespaces/default/configmaps';

/** Three that own each other, the first one deleted in the foreground. */
async function deletedCircle(prefix: string): Promise<() => Promise<boolean>> {
  const owners = (owner: { name: string; uid: string }): object[] => [
    { apiVersion: 'v1', kind: 'ConfigMap', ...owner, blockOwnerDeletion: true },
  ];
  const names = [0, 1, 2].map((i) => `${prefix}-${String(i)}`);
  const uids: string[] = [];
  for (const [i, name] of names.entries()) {
    const owner = { name: names[i - 1] ?? '', uid: uids[i - 1] ?? '' };
    const ownerReferences = i === 0 ? [] : owners(owner);
    const { metadata } = await replica.admin.ok('POST', maps, { metadata: { name, ownerReferences } });
    uids.push(metadata.uid ?? '');
  }
  const ownerReferences = owners({ name: names[2] ?? '', uid: uids[2] ?? '' });
  const first = `${maps}/${names[0] ?? ''}`;
  await replica.admin.ok('PUT', first, { metadata: { name: names[0], ownerReferences } });
  await replica.admin.delete(first, { propagationPolicy: 'Foreground' });
  return async () => {
    const { items } = await replica.admin.list(maps);
    return !items.some(({ metadata }) => names.includes(metadata.name));
  };
}

test('one of two acts; the other takes over within 15 s of a kill, at once after a stop', async () => {
  const pair = [await startControllers(), await startControllers()];
  await waitFor('a leader', async () => pair.some((c) => workerOf(c) > 0) && (await leader()) > 0);
  await namespaceComesAndGoes('first');

  const before = await leader();
  const holder = pair.find((child) => workerOf(child) === before);
  expect(holder).toBeDefined();
  const other = pair.find((child) => child !== holder);
  const isFirstGone = await deletedCircle('first');
  await waitFor('a circle to go', isFirstGone);
  const isSecondGone = await deletedCircle('second');
  const killedAt = Date.now();
  // Both at once, as when a machine is lost: neither a successor nor an orderly end gives the lease back.
  process.kill(before, 'SIGSTOP');
  await holder?.kill();
  process.kill(before, 'SIGKILL');
  const { since } = await waitFor(
    'the other to lead',
    async () => {
      const now = await holding();
      return other !== undefined && now.pid === workerOf(other) && now;
    },
    { timeout: 30_000 },
  );
  expect(since - killedAt).toBeLessThan(15_000);
  await namespaceComesAndGoes('second');
  await waitFor('the circle of the one before to go', isSecondGone);

  const third = await startControllers();
  await other?.stop(10_000);
  const released = performance.now();
  await waitFor('the third to lead', async () => (await leader()) === workerOf(third));
  expect(performance.now() - released).toBeLessThan(5_000);
  await expectInvariants();
});

async function expectInvariants(): Promise<void> {
  const collections = ['namespaces', 'configmaps', 'serviceaccounts', 'secrets'].map(
    (plural) => `core/${plural}`,
  );
  const { pasts } = await truthOf(cluster, { collections, stateOf: (object) => ({ value: '', object }) });
  const circles = ['first', 'second'].flatMap((prefix) =>
    [0, 1, 2].map((i) => `core/configmaps/default/${prefix}-${String(i)}`),
  );
  const deleted = new Set(circles.filter((name) => name.endsWith('-0')));
  for (const past of pasts) {
    const removed = past.commits.flatMap(({ changes }) => changes.filter(({ put }) => put === undefined));
    const gone = removed.map(({ collection, key }) => `${collection}/${key}`);
    expect(gone).toEqual(
      expect.arrayContaining([...circles, 'core/namespaces/first', 'core/namespaces/second']),
    );
    expect(namespacesEndEmpty(past)).toEqual([]);
    expect(garbageIsCollected(past, { deleted, isIdle: true })).toEqual([]);
    // The collector takes the finalizer of foreground deletion away.
    expect(finalizersHold(past, { released: new Set(circles) })).toEqual([]);
  }
}
