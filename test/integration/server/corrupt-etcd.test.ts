/** A replica over an etcd whose members hold different data: writes are refused at once with what to do, reads go on. */
import { execFileSync } from 'node:child_process';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { forever, mostRecent, pods, startStorage } from '../../support/storage.ts';
import { waitFor } from '../../support/wait-for.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const stack = new AsyncDisposableStack();
let etcd: EtcdCluster;
let replica: Replica;

beforeAll(async () => {
  etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  replica = stack.use(await startReplica({ etcd }));
  await replica.admin.createSeen(maps, { metadata: { name: 'one' } });
  await replica.admin.createSeen(maps, { metadata: { name: 'next' } });
}, 60_000);

afterAll(() => stack.disposeAsync());

/** Raises the alarm as a check of the data does, or takes it back. */
async function alarm(action: 'ACTIVATE' | 'DEACTIVATE'): Promise<void> {
  const env = { ...process.env, ETCDCTL_API: '3' };
  const words = [`--endpoints=${etcd.endpoints.join()}`, 'endpoint', 'status', '-w', 'json'];
  const status = execFileSync('etcdctl', words, { env, encoding: 'utf8' });
  const memberID = /"member_id":(\d+)/.exec(status)?.[1] ?? '';
  const url = `${etcd.endpoints[0] ?? ''}/v3/maintenance/alarm`;
  const answer = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ action, memberID, alarm: 'CORRUPT' }),
  });
  expect(answer.status).toBe(200);
}

test('writes are refused, reads and watches go on, and all comes back', async () => {
  const { admin } = replica;
  const watch = await admin.watch(`${maps}?fieldSelector=metadata.name=one&resourceVersion=0`);
  await watch.next();
  await alarm('ACTIVATE');
  const merge = { metadata: { labels: { a: 'b' } } };
  for (const refusal of [
    await admin.post(maps, { metadata: { name: 'two' } }),
    await admin.patch(`${maps}/one`, 'merge', merge),
    await admin.delete(`${maps}/one`),
  ]) {
    expect([refusal.status, refusal.headers['retry-after']]).toEqual([503, '10']);
    expect(refusal.json()['message']).toBe(
      'the members of the store hold different data: nothing can be written until an operator has repaired it',
    );
  }
  expect((await admin.get(`${maps}/one`)).status).toBe(200);
  expect((await admin.get(`${maps}/one?resourceVersion=0`)).status).toBe(200);
  expect((await admin.list(`${maps}?limit=1`)).items).toHaveLength(1);
  expect((await admin.get('/readyz')).status).toBe(200);
  await using late = await startReplica({ etcd, pki: replica.pki });
  expect((await late.admin.get(`${maps}/one`)).status).toBe(200);
  expect((await late.admin.post(maps, { metadata: { name: 'two' } })).status).toBe(503);
  // What it does not have in memory it cannot tell: no mark of the end of the history can be written.
  const { metadata } = (await late.admin.get(`${maps}/one`)).json() as {
    metadata: { resourceVersion: string };
  };
  const past = late.admin.watch(`${maps}?resourceVersion=${metadata.resourceVersion}`);
  await expect(past).rejects.toThrow('answered 503');

  await alarm('DEACTIVATE');
  await waitFor('a write', async () => (await admin.patch(`${maps}/one`, 'merge', merge)).status === 200);
  await watch.until(({ type }) => type === 'MODIFIED');
}, 60_000);

test('a fresh read that only a fence could prove is refused at once', async () => {
  const quiet = await startStorage(etcd.endpoints, { prefix: '/quiet' });
  // Makes a revision without an event below the prefix.
  await replica.admin.createSeen(maps, { metadata: { name: 'last' } });
  await alarm('ACTIVATE');
  const { fences } = quiet.stats();
  await expect(quiet.get(pods, 'any', mostRecent, forever)).rejects.toMatchObject({ code: 'corrupt' });
  // Not one after the other until the time is over.
  expect(quiet.stats().fences - fences).toBe(1);
  await alarm('DEACTIVATE');
  await waitFor('a read', async () => (await quiet.get(pods, 'any', mostRecent, forever)) === undefined);
  await quiet.close();
}, 60_000);
