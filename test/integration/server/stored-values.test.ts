/** What flags of the storage do to values in etcd, as clients see it: events expire. */
import { shareEtcd, type SharedEtcd } from '../../support/etcd/shared.ts';
import { startReplica, type Replica } from '../../support/replica.ts';

let etcd: SharedEtcd;
let replica: Replica;

beforeAll(async () => {
  etcd = await shareEtcd();
  replica = await startReplica({ etcd, naming: 'kubernetes', args: ['--event-ttl=2s'] });
});
afterAll(async () => {
  await replica.close();
  await etcd.close();
});

const events = '/api/v1/namespaces/default/events';
const modernEvents = '/apis/events.k8s.io/v1/namespaces/default/events';
/** A body that the write threads take. */
const large = 'x'.repeat(100_000);

function event(name: string, note = ''): object {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'default', annotations: { note } },
    involvedObject: { kind: 'Pod', namespace: 'default', name: 'a' },
    reason: 'Tested',
    type: 'Normal',
  };
}

test('events expire, small and large ones, for watches of both groups', async () => {
  const { metadata } = (await replica.admin.get(events)).json();
  const query = `watch=1&resourceVersion=${metadata.resourceVersion}`;
  const watches = [
    await replica.admin.watch(`${events}?${query}`),
    await replica.admin.watch(`${modernEvents}?${query}`),
  ];
  expect((await replica.admin.post(events, event('small'))).status).toBe(201);
  expect((await replica.admin.post(events, event('large', large))).status).toBe(201);
  for (const watch of watches) {
    const gone = new Set<string>();
    while (gone.size < 2) {
      const seen = await watch.next();
      if (seen === undefined) throw new Error('the watch ended');
      if (seen.type === 'DELETED') gone.add(seen.object.metadata.name);
    }
    watch.close();
  }
  expect((await replica.admin.get(`${events}/small`)).status).toBe(404);
  expect((await replica.admin.get(`${modernEvents}/large`)).status).toBe(404);
});
