/** The contract of `startEtcdCluster`, the same for both ways that it can run. */
import { findDockerEngine } from '../../support/docker.ts';
import { startEtcdCluster, type EtcdCluster, type EtcdRunner } from '../../support/etcd/cluster.ts';
import { isHealthy } from '../../support/etcd/status.ts';
import { waitFor } from '../../support/wait-for.ts';

async function possibleRunners(): Promise<EtcdRunner[]> {
  const engine = await findDockerEngine();
  await engine?.close();
  return engine === undefined ? ['process'] : ['process', 'container'];
}

async function checkSingleMember(how: EtcdRunner): Promise<void> {
  await using cluster = await startEtcdCluster({ how });
  expect(cluster.how).toBe(how);
  expect(cluster.tls).toBeUndefined();
  expect(cluster.endpoints).toHaveLength(1);
  expect(cluster.endpoints[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
}

async function checkFailures(cluster: EtcdCluster): Promise<void> {
  const leader = await cluster.leader();
  await leader.kill();
  const second = await cluster.leader();
  expect(second.name).not.toBe(leader.name);
  await leader.start();
  await cluster.healthy();

  await second.pause();
  expect(await isHealthy(second.endpoint, cluster.tls)).toBe(false);
  await waitFor(
    'a leader other than the frozen one',
    async () => (await cluster.leader()).name !== second.name,
  );
  await second.resume();
  await cluster.healthy();

  const third = await cluster.leader();
  await third.stop();
  await third.start();
  await cluster.healthy();
  expect(third.logs()).toMatch(/serving (client|insecure client) /);
}

async function checkTls(cluster: EtcdCluster): Promise<void> {
  const [endpoint = ''] = cluster.endpoints;
  expect(endpoint).toMatch(/^https:/);
  expect(await isHealthy(endpoint, cluster.tls)).toBe(true);
  expect(await isHealthy(endpoint, undefined)).toBe(false);
}

test('runs one member, and three with TLS that survive failures, in each way possible here', async () => {
  for (const how of await possibleRunners()) {
    await checkSingleMember(how);
    await using cluster = await startEtcdCluster({ how, members: 3, tls: true });
    await checkTls(cluster);
    await checkFailures(cluster);
  }
}, 180_000);
