/** A real replica over a real etcd: starts, answers, survives a restart, stops in order. */
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica } from '../../support/replica.ts';

test('a replica starts, stores, watches, is killed, comes back with its data and stops with code 0', async () => {
  await using etcd = await startEtcdCluster({ how: 'process' });
  // Nobody else writes where this test watches.
  await using replica = await startReplica({ etcd, args: ['--controllers='] });
  const { admin } = replica;
  const configMaps = '/api/v1/namespaces/default/configmaps';
  const created = await admin.ok('POST', configMaps, { metadata: { name: 'one' }, data: { a: 'b' } });
  // Only this one: the service itself puts its authority's certificate beside it.
  const since = `fieldSelector=metadata.name%3Done&resourceVersion=${created.metadata.resourceVersion}`;
  const watch = await admin.watch(`${configMaps}?${since}`);
  await admin.ok('PUT', `${configMaps}/one`, { ...created, data: { a: 'c' } });
  expect(await watch.next()).toMatchObject({ type: 'MODIFIED', object: { data: { a: 'c' } } });

  await replica.kill();
  expect(await watch.next()).toBeUndefined();
  await replica.start();
  expect(await admin.ok('GET', `${configMaps}/one`)).toMatchObject({ data: { a: 'c' } });
  expect((await replica.client().get(configMaps)).status).toBe(403);
  expect(await replica.stop()).toBe(0);
});
