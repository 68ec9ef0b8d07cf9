/**
 * A replica over an etcd that is full: writes are refused with what to do, but deletions, by which room is made; reads and
 * watches go on, it can be restarted, and it takes writes again once an operator has made room.
 */
import { execFileSync } from 'node:child_process';
import type { Answer, EventStream } from '../../support/client.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const stack = new AsyncDisposableStack();
let etcd: EtcdCluster;
let replica: Replica;
let watch: EventStream;

beforeAll(async () => {
  etcd = stack.use(await startEtcdCluster({ how: 'process', extraArgs: ['--quota-backend-bytes=16777216'] }));
  replica = stack.use(await startReplica({ etcd }));
  await replica.admin.createSeen(maps, { metadata: { name: 'needless' } });
  const { metadata } = await replica.admin.createSeen(maps, { metadata: { name: 'small' } });
  watch = await replica.admin.watch(`${maps}?resourceVersion=${metadata.resourceVersion}`);
}, 60_000);

afterAll(() => stack.disposeAsync());

function etcdctl(...words: string[]): string {
  const env = { ...process.env, ETCDCTL_API: '3' };
  return execFileSync('etcdctl', [`--endpoints=${etcd.endpoints.join()}`, ...words], {
    env,
    encoding: 'utf8',
  });
}

/** Replaces one object until a write is refused; gives the name of the last state that was taken, and the refusal. */
async function fill(): Promise<{ taken: number; refusal: Answer }> {
  const name = 'large';
  for (let taken = -1; taken < 60; taken += 1) {
    const data = { text: 'x'.repeat(900_000), number: String(taken + 1) };
    const body = { metadata: { name }, data };
    const refusal =
      taken < 0 ? await replica.admin.post(maps, body) : await replica.admin.put(`${maps}/${name}`, body);
    if (refusal.status >= 300) return { taken, refusal };
  }
  throw new Error('the quota was never met');
}

function expectRefusal({ status, headers, text }: Answer): void {
  expect([status, headers['retry-after']]).toEqual([503, '10']);
  const message =
    'the database of the store is full: nothing but deletions can be written until an operator makes room';
  expect(JSON.parse(text)).toMatchObject({
    reason: 'ServiceUnavailable',
    message,
    details: { retryAfterSeconds: 10 },
  });
}

/** All that reads: fresh, of any age, lists, pages, watches from now and from the past. */
async function expectReads(taken: number): Promise<void> {
  const { admin } = replica;
  expect((await admin.get('/readyz')).status).toBe(200);
  const fresh = await admin.get(`${maps}/large`);
  expect(fresh.json()['data']).toMatchObject({ number: String(taken) });
  expect((await admin.get(`${maps}/small?resourceVersion=0`)).status).toBe(200);
  const { items, metadata } = await admin.list(`${maps}?limit=1`);
  expect(items).toHaveLength(1);
  const rest = await admin.list(
    `${maps}?limit=500&continue=${(metadata as { continue?: string }).continue ?? ''}`,
  );
  const names = [...items, ...rest.items].map((item) => item.metadata.name);
  expect(names).toEqual(expect.arrayContaining(['large', 'small']));
  const past = await admin.watch(`${maps}?resourceVersion=${items[0]?.metadata.resourceVersion ?? ''}`);
  const current = await admin.watch(`${maps}?fieldSelector=metadata.name=small`);
  expect((await current.next())?.object.metadata.name).toBe('small');
  current.close();
  past.close();
}

test('writes but deletions are refused, reads and watches go on, also after a restart, and room is all that it needs', async () => {
  const { taken, refusal } = await fill();
  expectRefusal(refusal);
  const { admin } = replica;
  const merge = { metadata: { labels: { a: 'b' } } };
  expectRefusal(await admin.post(maps, { metadata: { name: 'one-more' } }));
  expectRefusal(await admin.patch(`${maps}/small`, 'merge', merge));
  expectRefusal(await admin.post('/api/v1/namespaces', { metadata: { name: 'one-more' } }));
  await watch.until(
    ({ object }) => (object['data'] as { number?: string } | undefined)?.number === String(taken),
  );
  await expectReads(taken);
  expect((await admin.delete(`${maps}/needless`)).status).toBe(200);
  expect((await admin.get(`${maps}/needless`)).status).toBe(404);
  await watch.until(({ type, object }) => type === 'DELETED' && object.metadata.name === 'needless');

  await replica.stop();
  await replica.start();
  await expectReads(taken);
  expectRefusal(await replica.admin.patch(`${maps}/small`, 'merge', merge));

  const later = await replica.admin.watch(`${maps}?fieldSelector=metadata.name=small&resourceVersion=0`);
  const revision = /"revision":(\d+)/.exec(etcdctl('endpoint', 'status', '-w', 'json'))?.[1] ?? '';
  etcdctl('compact', '--physical', revision);
  etcdctl('defrag');
  etcdctl('alarm', 'disarm');
  await waitFor(
    'a write',
    async () => (await replica.admin.patch(`${maps}/small`, 'merge', merge)).status === 200,
  );
  await later.until(({ type, object }) => type === 'MODIFIED' && object.metadata.name === 'small');
  expect((await replica.admin.delete(`${maps}/small`)).status).toBe(200);
  expect((await later.next())?.type).toBe('DELETED');
}, 60_000);
