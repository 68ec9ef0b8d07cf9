/** Three members with TLS: the leader dies under load, and no acknowledged write is lost; users and passwords. */
import { Etcd3 } from 'etcd3';

import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { transportNames } from '../../../src/storage/options.ts';
import { createEtcdStorage, type EtcdStorage } from '../../../src/storage/storage.ts';
import {
  forever,
  json,
  lineOf,
  mostRecent,
  noMetrics,
  pods,
  quickTimes,
  type Recorder,
  recordingLogger,
  startStorage,
  untilReached,
  watchAfter,
} from '../../support/storage.ts';

function pemOf({ tls }: EtcdCluster) {
  if (tls === undefined) throw new Error('no TLS material');
  return { ca: Buffer.from(tls.ca), cert: Buffer.from(tls.cert), key: Buffer.from(tls.key) };
}

/** All replicas hold all that was acknowledged, and their watches told the same, each object once. */
async function expectSame(
  replicas: readonly EtcdStorage[],
  watches: readonly Recorder[],
  acknowledged: ReadonlySet<string>,
): Promise<void> {
  const snapshots = await Promise.all(replicas.map((replica) => replica.snapshot(pods, mostRecent, forever)));
  const [first] = snapshots;
  for (const object of acknowledged) expect(first?.get(object)).toBeDefined();
  expect(new Set(snapshots.map(({ size }) => size)).size).toBe(1);
  for (const watch of watches) await untilReached(watch, first?.revision ?? 0);
  const [told, ...others] = watches.map(({ events }) => events.map(lineOf));
  for (const other of others) expect(other).toEqual(told);
  const objects = watches[0]?.events.map(({ key }) => key);
  expect(new Set(objects).size).toBe(objects?.length);
}

const overEach = test.each(transportNames);

overEach(
  '%s: three members with TLS: the leader is killed under load, nothing acknowledged is lost or told twice',
  async (transport) => {
    await using cluster = await startEtcdCluster({ members: 3, tls: true, how: 'process' });
    const overrides = {
      transport,
      tls: pemOf(cluster),
      times: { ...quickTimes, attempt: 2_000, operation: 15_000 },
    };
    const replicas = [
      await startStorage(cluster.endpoints, overrides),
      await startStorage(cluster.endpoints, overrides),
    ];
    const watches = replicas.map((replica) => watchAfter(replica, 1));
    const acknowledged = new Set<string>();
    const errors: unknown[] = [];
    let isWriting = true;
    const write = async (replica: EtcdStorage, name: string): Promise<void> => {
      for (let i = 0; isWriting; i += 1) {
        const object = `${name}/${String(i)}`;
        await replica.create(pods, object, json(i)).then(
          () => acknowledged.add(object),
          (error: unknown) => errors.push(error),
        );
        const seen = await replicas[i % 2]?.get(pods, object, mostRecent, forever).catch(() => 'unavailable');
        if (acknowledged.has(object)) expect(seen).toBeDefined();
      }
    };
    const writing = Promise.all(
      replicas.flatMap((replica, r) => ['a', 'b'].map((n) => write(replica, n + String(r)))),
    );
    await waitFor('some load', () => acknowledged.size > 100);
    const leader = await cluster.leader();
    await leader.kill();
    const before = acknowledged.size;
    await waitFor('writes after the leader died', () => acknowledged.size > before + 100, {
      timeout: 30_000,
    });
    await leader.start();
    isWriting = false;
    await writing;
    expect(errors).toEqual([]);
    await expectSame(replicas, watches, acknowledged);
    await Promise.all(replicas.map((replica) => replica.close()));
  },
);

overEach(
  '%s: user and password: accepted, renewed when etcd forgot the token, and refused when wrong',
  async (transport) => {
    await using cluster = await startEtcdCluster({ how: 'process' });
    const admin = new Etcd3({ hosts: [...cluster.endpoints] });
    await admin.user('root').create('secret');
    await admin.user('root').addRole('root');
    await admin.auth.authEnable();
    admin.close();
    const login = { transport, username: 'root', password: 'secret' };
    const storage = await startStorage(cluster.endpoints, login);
    const { revision } = await storage.create(pods, 'a', json(1));
    await waitFor('the view to see the write', () => storage.revision() >= revision);
    const watch = watchAfter(storage, revision);
    const [member] = cluster.members;
    await member?.stop();
    await member?.start();
    const later = await waitFor('a write after the restart', () => storage.create(pods, 'b', json(1)));
    await untilReached(watch, later.revision);
    expect(watch.events.map(({ key }) => key)).toEqual(['b']);
    await storage.close();
    const wrong = await createEtcdStorage({
      ...login,
      password: 'wrong',
      endpoints: cluster.endpoints,
      logger: recordingLogger(),
      metrics: noMetrics,
      times: { ...quickTimes, operation: 500 },
    });
    wrong.ready().catch(() => undefined);
    expect((await wrong.health()).etcd).toContain('rejected the credentials');
    await wrong.close();
  },
);
