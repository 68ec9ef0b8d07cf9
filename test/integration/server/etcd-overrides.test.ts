/** `--etcd-servers-overrides`: events in an etcd of their own, as clients, operators and both clusters see it. */
import type { EtcdClient } from '../../../src/storage/etcd/client.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { directClient } from '../../support/storage.ts';

let main: EtcdCluster;
let other: EtcdCluster;
let direct: readonly [main: EtcdClient, other: EtcdClient];
let replica: Replica;

beforeAll(async () => {
  [main, other] = await Promise.all([
    startEtcdCluster({ how: 'process' }),
    startEtcdCluster({ how: 'process' }),
  ]);
  direct = [directClient(main.endpoints), directClient(other.endpoints)];
  // More revisions than the other cluster has: whoever mixes the two is found out.
  for (let i = 0; i < 300; i++)
    await direct[1].put({ key: Buffer.from('/elsewhere'), value: Buffer.from('0') });
  const args = [
    `--etcd-servers-overrides=/events#${other.endpoints.join(';')}`,
    '--event-ttl=1h',
    '--workers=2',
  ];
  replica = await startReplica({ etcd: main, naming: 'kubernetes', args });
});
afterAll(async () => {
  await replica.close();
  for (const client of direct) client.close();
  await Promise.all([main.close(), other.close()]);
});

const events = '/api/v1/namespaces/default/events';

function event(name: string, namespace = 'default', note = ''): object {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace, annotations: { note } },
    involvedObject: { kind: 'Pod', namespace, name: 'a' },
    reason: 'Tested',
    type: 'Normal',
  };
}

async function keysOf(client: EtcdClient): Promise<string[]> {
  const range = { key: Buffer.from('/registry/'), range_end: Buffer.from('/registry0'), keys_only: true };
  return (await client.range(range)).kvs
    .map(({ key }) => key.toString())
    .filter((key) => !key.includes('/~'));
}

test('events are in their cluster, everything else is in the other one', async () => {
  await replica.admin.ok('POST', events, event('small'));
  await replica.admin.ok('POST', events, event('large', 'default', 'x'.repeat(100_000)));
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  await replica.admin.ok('POST', '/api/v1/namespaces/default/configmaps', configMap);
  const [inMain, inOther] = [await keysOf(direct[0]), await keysOf(direct[1])];
  expect(inOther).toContain('/registry/core/events/default/small');
  expect(inOther).toContain('/registry/core/events/default/large');
  expect(inOther.filter((key) => !key.startsWith('/registry/core/events/'))).toEqual([]);
  expect(inMain).toContain('/registry/core/configmaps/default/a');
  expect(inMain.filter((key) => key.startsWith('/registry/core/events/'))).toEqual([]);
});
