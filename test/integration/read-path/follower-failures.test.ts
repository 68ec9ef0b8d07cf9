/**
 * Failures between a replica and etcd, seen by its clients: /readyz names the check that fails meanwhile, the view
 * recovers, and each watch goes on exactly or ends with 410, while another replica goes on writing. Nothing may
 * be left out in silence.
 */
import type { Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { makeServicePki, startReplica } from '../../support/replica.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { FailureCase } from './failure-case.ts';
import { compact, configMaps, namespace, openStage, quiet, type Stage } from '../../support/read-path.ts';
import { failingChecks, untilFailing, versionOf } from '../../support/read-path.ts';
import { WatchLog } from './watch-log.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

/** Who takes any state is served while etcd is away. */
async function expectServesWhatItHas(replica: Replica): Promise<void> {
  expect((await replica.admin.get(`${configMaps}?resourceVersion=0`)).status).toBe(200);
}

test('etcd restarted', async () => {
  const one = await FailureCase.begin(stage);
  const [member] = stage.etcd.members;
  await member?.kill();
  await untilFailing(stage.far, 'etcd');
  await untilFailing(stage.far, 'follower');
  await expectServesWhatItHas(stage.far);
  await member?.start();
  await stage.etcd.healthy();
  await one.expectViewRecovers();
  await one.expectExact();
});

test('network away: connections are refused', async () => {
  const one = await FailureCase.begin(stage);
  stage.proxy.refuse();
  await one.write();
  await untilFailing(stage.far, 'etcd');
  await untilFailing(stage.far, 'follower');
  expect(await failingChecks(stage.near)).toEqual([]);
  await expectServesWhatItHas(stage.far);
  stage.proxy.accept();
  await one.expectViewRecovers();
  await one.expectExact();
});

test.each(['toServer', 'toClient'] as const)('network cut in one direction: %s', async (direction) => {
  const one = await FailureCase.begin(stage);
  stage.proxy.silence(direction);
  await one.write();
  await untilFailing(stage.far, 'etcd');
  await untilFailing(stage.far, 'follower');
  expect(await failingChecks(stage.near)).toEqual([]);
  await expectServesWhatItHas(stage.far);
  stage.proxy.release(direction);
  await one.expectViewRecovers();
  await one.expectExact();
});

test('stream paused: etcd answers, but tells the follower nothing', async () => {
  const one = await FailureCase.begin(stage);
  // The watch, and not what comes back for somebody who asks meanwhile.
  const held = stage.proxy.holdNext('toClient', '/configmaps/');
  await one.write();
  await held;
  expect(await untilFailing(stage.far, 'follower')).toEqual(['follower']);
  expect(await failingChecks(stage.near)).toEqual([]);
  await one.expectViewRecovers();
  await one.expectExact();
  stage.proxy.resume();
});

test('compaction while disconnected', async () => {
  const one = await FailureCase.begin(stage);
  stage.proxy.refuse();
  await one.write();
  await untilFailing(stage.far, 'follower');
  await compact(stage.etcd, versionOf(await stage.near.admin.list(configMaps)));
  stage.proxy.accept();
  await waitFor('the watches to end', () => one.farWatches.every(({ ended }) => ended !== undefined));
  await one.expectViewRecovers();
  await one.expectEndedExact();
  await expect(WatchLog.open(stage.far, one.from)).rejects.toMatchObject({ status: 410 });
});

describe('three members', () => {
  let etcd: EtcdCluster;
  let proxies: readonly TcpProxy[];
  let replicas: { readonly near: Replica; readonly far: Replica };
  const stack = new AsyncDisposableStack();

  beforeAll(async () => {
    etcd = stack.use(await startEtcdCluster({ members: 3, how: 'process' }));
    proxies = await Promise.all(etcd.endpoints.map((endpoint) => TcpProxy.start(endpoint)));
    for (const proxy of proxies) stack.use(proxy);
    const pki = stack.use(await makeServicePki());
    const near = stack.use(await startReplica({ etcd, pki, args: quiet }));
    const behind = { endpoints: proxies.map(({ endpoint }) => endpoint), tls: undefined };
    const far = stack.use(await startReplica({ etcd: behind, pki, args: quiet }));
    replicas = { near, far };
    await near.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  });

  afterAll(async () => {
    await stack.disposeAsync();
  });

  test('leader moved, and moved again', async () => {
    const one = await FailureCase.begin(replicas);
    for (let move = 0; move < 3; move += 1) {
      await etcd.moveLeader();
      await one.write();
    }
    await one.expectViewRecovers();
    await one.expectExact();
  });

  test('leader killed', async () => {
    const one = await FailureCase.begin(replicas);
    const leader = await etcd.leader();
    await leader.kill();
    await one.write();
    await one.expectViewRecovers();
    await leader.start();
    await etcd.healthy();
    await one.expectExact();
  });

  test('leader frozen: its connections stay open and say nothing', async () => {
    const one = await FailureCase.begin(replicas);
    const leader = await etcd.leader();
    await leader.pause();
    await one.write();
    await one.expectViewRecovers();
    await leader.resume();
    await etcd.healthy();
    await one.expectExact();
  });

  test('quorum lost', async () => {
    const one = await FailureCase.begin(replicas);
    const leader = await etcd.leader();
    const stopped = [leader, etcd.members.find(({ name }) => name !== leader.name)];
    for (const member of stopped) await member?.kill();
    await untilFailing(replicas.far, 'etcd');
    await untilFailing(replicas.far, 'follower');
    await expectServesWhatItHas(replicas.far);
    await Promise.all(stopped.flatMap((member) => (member === undefined ? [] : [member.start()])));
    await etcd.healthy();
    await one.expectViewRecovers();
    await one.expectExact();
  });

  test('one member cut off, the one that the replica follows', async () => {
    const one = await FailureCase.begin(replicas);
    const followed = await waitFor('bytes of the followed member', async () => {
      const before = proxies.map(({ bytes }) => bytes.toClient);
      await one.write();
      return proxies.find(({ bytes }, index) => bytes.toClient - (before[index] ?? 0) > 5_000);
    });
    followed.silence('toClient');
    await one.write();
    await one.expectViewRecovers();
    await one.expectExact();
    followed.resume();
  });
});
