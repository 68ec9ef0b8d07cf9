/**
 * Two replicas, under load, while the members of etcd change: a learner is among them, one that is frozen is removed, all
 * are replaced one by one; and members of another cluster, named by mistake.
 */
import { startEtcdCluster, type EtcdCluster } from '../support/etcd/cluster.ts';
import { makeServicePki, startReplica, type Replica, type ServicePki } from '../support/replica.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { waitFor } from '../support/wait-for.ts';
import type { EventStream } from '../support/watch-stream.ts';
import { configMaps, Creations, namesHeldBy } from './support/creations.ts';

let etcd: EtcdCluster;
let other: EtcdCluster;
/** The addresses that replicas know, whoever is behind them: three members, and one more. */
let addresses: readonly TcpProxy[];
let pki: ServicePki;
let replicas: readonly Replica[];

beforeAll(async () => {
  [etcd, other] = await Promise.all([
    startEtcdCluster({ members: 3, how: 'process' }),
    startEtcdCluster({ how: 'process' }),
  ]);
  const [first = ''] = etcd.endpoints;
  addresses = await Promise.all([...etcd.endpoints, first].map((endpoint) => TcpProxy.start(endpoint)));
  addresses[3]?.refuse();
  pki = await makeServicePki();
  const known = { endpoints: addresses.map(({ endpoint }) => endpoint), tls: undefined };
  replicas = await Promise.all([startReplica({ etcd: known, pki }), startReplica({ etcd: known, pki })]);
}, 60_000);
afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await Promise.all(addresses.map((address) => address.close()));
  await Promise.all([etcd.close(), other.close()]);
  await pki.close();
});

function address(index: number): TcpProxy {
  const found = addresses[index];
  if (found === undefined) throw new Error('no such address');
  return found;
}

/** Under load: nothing acknowledged is lost or told twice, all replicas hold the same. Gives the answers that were errors. */
async function underLoad(round: string, change: (load: Creations) => Promise<void>): Promise<string[]> {
  const { metadata } = (await replicas[0]?.admin.list(configMaps)) ?? {};
  const watches = await Promise.all(
    replicas.map(({ admin }) => admin.watch(`${configMaps}?resourceVersion=${metadata?.resourceVersion}`)),
  );
  const load = new Creations(replicas, round);
  try {
    await load.more(20, 'before any change');
    await change(load);
    await load.more(20, 'after all changes');
  } finally {
    await load.stop();
  }
  const acknowledged = load.acknowledged.map(({ name }) => name);
  const held = await Promise.all(replicas.map(namesHeldBy));
  expect(held[1]).toEqual(held[0]);
  expect(held[0]).toEqual(expect.arrayContaining(acknowledged));
  await Promise.all(watches.map((watch) => expectEachOnce(watch, acknowledged)));
  return load.failures;
}

async function expectEachOnce(watch: EventStream, names: readonly string[]): Promise<void> {
  const missing = new Set(names);
  const told: string[] = [];
  await watch.until(({ type, object: { metadata } }) => {
    told.push(`${type} ${metadata.name}`);
    missing.delete(metadata.name);
    return missing.size === 0;
  });
  expect(new Set(told).size).toBe(told.length);
  watch.close();
}

const logs = (): string => replicas.map((replica) => replica.logs()).join('\n');

test('a learner among the addresses is left out: no request fails', async () => {
  const failures = await underLoad('learner', async (load) => {
    const learner = await etcd.addMember({ isLearner: true });
    address(3).redirect(learner.endpoint);
    address(3).accept();
    // Replicas ask the next address when one breaks, until they come to the learner.
    for (const index of [0, 1, 2]) {
      address(index).cut();
      await load.more(20, 'over another connection');
    }
    await etcd.removeMember(learner);
    address(3).refuse();
  });
  expect(failures).toEqual([]);
}, 60_000);

test('a frozen member is removed, and all others are replaced one by one', async () => {
  await underLoad('members', async (load) => {
    for (const [index, member] of [...etcd.members].entries()) {
      if (index === 0) await member.pause();
      await etcd.removeMember(member);
      await load.more(20, 'without a member');
      const added = await etcd.addMember();
      address(index).redirect(added.endpoint);
      await load.more(20, 'with another member');
    }
  });
}, 60_000);

test('a member of another cluster is not used, also when the own cluster is away', async () => {
  const failures = await underLoad('foreign', async (load) => {
    address(3).redirect(other.endpoints[0] ?? '');
    address(3).accept();
    for (const index of [0, 1, 2]) {
      address(index).cut();
      await load.more(20, 'over another connection');
    }
  });
  expect(failures).toEqual([]);
  for (const index of [0, 1, 2]) address(index).refuse();
  const [replica] = replicas;
  await waitFor(
    'both clusters to be named',
    () => /of cluster [0-9a-f]{15,16}, not [0-9a-f]{15,16}/.test(logs()),
    {
      details: logs,
    },
  );
  const away = await replica?.admin.get(configMaps);
  expect(away?.status).toBeGreaterThanOrEqual(500);
  for (const index of [0, 1, 2]) address(index).accept();
  expect(await underLoad('own', () => Promise.resolve())).toBeDefined();
}, 60_000);

test('a replica that is given members of two clusters does not start, and names both', async () => {
  const endpoints = [etcd.members[0]?.endpoint ?? '', other.endpoints[0] ?? ''];
  const start = startReplica({ etcd: { endpoints, tls: undefined }, pki });
  await expect(start).rejects.toThrow(
    /ended with [1-9].*etcd members of different clusters are named, none is used: http\S+ is of [0-9a-f]{15,16}, http\S+ is of [0-9a-f]{15,16}/s,
  );
}, 60_000);
