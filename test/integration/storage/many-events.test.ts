/** A follower that was away gets what it missed in few responses, each of thousands of events. */
import { cpuBudget } from '../../support/cpu-time.ts';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import {
  directClient,
  json,
  longestTurn,
  pods,
  quickTimes,
  startStorage,
  untilReached,
  watchAfter,
} from '../../support/storage.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';

test('thousands of events that come at once, of which some share a revision, are applied in slices and in order', async () => {
  await using cluster = await startEtcdCluster({ how: 'process' });
  const etcd = directClient(cluster.endpoints);
  const prefix = '/many';
  await using proxy = await TcpProxy.start(cluster.endpoints[0] ?? '');
  const behind = await startStorage([proxy.endpoint], { prefix, times: quickTimes });
  const watch = watchAfter(behind, behind.revision());
  proxy.refuse();
  const value = json({ text: 'x'.repeat(100) });
  let last = 0;
  for (let i = 0; i < 80; i += 1) {
    const success = Array.from({ length: 100 }, (_, n) => ({
      request_put: { key: Buffer.from(`${prefix}/${pods}/n/p${String(i)}-${String(n)}`), value },
    }));
    last = Number((await etcd.txn({ compare: [], success, failure: [] })).header.revision);
  }
  const longest = await longestTurn(
    Promise.all([untilReached(watch, last), Promise.resolve().then(() => proxy.accept())]),
  );
  etcd.close();
  await behind.close();
  expect(watch.events.length).toBe(8_000);
  const revisions = watch.events.map(({ revision }) => revision);
  expect(revisions).toEqual([...revisions].sort((a, b) => a - b));
  expect(longest).toBeLessThan(cpuBudget(50));
}, 60_000);
