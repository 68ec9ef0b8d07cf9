/** How soon `/readyz` shows that a replica does not reach etcd any more, for the balancer that asks it five times a second. */
import { setTimeout as delay } from 'node:timers/promises';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica } from '../../support/replica.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { waitFor } from '../../support/wait-for.ts';

/** As the balancer checks. */
const intervalMs = 200;

test('etcd that was there a moment ago is not what readiness is told by', async () => {
  await using stack = new AsyncDisposableStack();
  const etcd = await startEtcdCluster({ how: 'process' });
  stack.defer(() => etcd.close());
  const way = stack.use(await TcpProxy.start(etcd.endpoints[0] ?? ''));
  const replica = stack.use(
    await startReplica({ etcd: { endpoints: [way.endpoint], tls: etcd.tls }, args: ['--controllers='] }),
  );
  const isReady = async (): Promise<boolean> => (await replica.admin.get('/readyz')).status === 200;
  const probes = way.count('toServer', '~fence');
  const before = probes.chunks;
  await waitFor('a look at etcd', async () => (await isReady()) && probes.chunks > before, { interval: 10 });
  // That look has ended when it is answered.
  expect(await isReady()).toBe(true);
  way.suspend();
  let ready = 0;
  for (let asked = 0; asked < 5; asked++) {
    await delay(intervalMs);
    if (await Promise.race([isReady(), delay(intervalMs, false)])) ready += 1;
  }
  way.resume();
  // One answer may have been on its way.
  expect(ready).toBeLessThanOrEqual(1);
}, 60_000);
