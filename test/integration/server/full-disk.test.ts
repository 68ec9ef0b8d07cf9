/**
 * An etcd whose disk is full, so that it ends itself: no write is lost or reported wrongly, old enough states are read and
 * watches stay meanwhile, and all goes on without a restart of the replica once etcd runs again with room.
 */
import type { Answer, EventStream } from '../../support/client.ts';
import { startEtcdCluster, type EtcdCluster } from '../../support/etcd/cluster.ts';
import { startReplica, type Replica } from '../../support/replica.ts';
import { mountSmallDisk, wayToMount, type SmallDisk } from '../../support/small-disk.ts';
import { waitFor } from '../../support/wait-for.ts';

const way = wayToMount();
if (way === undefined) console.log('left out: nothing may be mounted here, so that no disk can be full');
const withSmallDisk = way === undefined ? describe.skip : describe;

const maps = '/api/v1/namespaces/default/configmaps';

withSmallDisk('a disk of 160 MB', () => {
  const stack = new AsyncDisposableStack();
  let disk: SmallDisk;
  let etcd: EtcdCluster;
  let replica: Replica;
  let watch: EventStream;

  beforeAll(async () => {
    // etcd takes twice 64 MB for its log at once.
    disk = stack.use(await mountSmallDisk(way ?? [], 160));
    etcd = stack.use(await startEtcdCluster({ how: 'process', dataIn: disk.path }));
    replica = stack.use(await startReplica({ etcd }));
    const { metadata } = await replica.admin.createSeen(maps, { metadata: { name: 'small' } });
    watch = await replica.admin.watch(`${maps}?resourceVersion=${metadata.resourceVersion}`);
  }, 60_000);

  afterAll(() => stack.disposeAsync());

  /** Each write of one object with its answer, until etcd has ended; the next one has the next number. */
  async function write(hasEnded: () => boolean): Promise<Answer[]> {
    const answers: Answer[] = [];
    while (!hasEnded()) {
      const data = { text: 'x'.repeat(900_000), number: String(answers.length) };
      answers.push(await replica.admin.put(`${maps}/large`, { metadata: { name: 'large' }, data }));
    }
    return answers;
  }

  test('no write is lost or told wrongly, states in memory are read, and room is all that it needs', async () => {
    const { admin } = replica;
    const member = etcd.members[0]!;
    const hasEnded = (): boolean => member.logs().includes('no space left on device');
    await admin.ok('POST', maps, { metadata: { name: 'large' }, data: { number: 'none' } });
    await disk.fill();
    const writing = write(hasEnded);
    await waitFor('etcd to end', hasEnded, { timeout: 30_000, details: () => member.logs() });
    await member.kill();
    expect((await admin.get(`${maps}/small?resourceVersion=0`)).status).toBe(200);
    expect((await admin.list(`${maps}?resourceVersion=0`)).items.length).toBeGreaterThan(1);
    await waitFor('the check of etcd', async () =>
      (await admin.get('/readyz?verbose')).text.includes('[-]etcd failed'),
    );

    await disk.makeRoom();
    await member.start();
    await etcd.healthy();
    const statuses = (await writing).map(({ status }) => status);
    // 503: not done; 504: nobody knows.
    expect(statuses.filter((status) => ![200, 503, 504].includes(status))).toEqual([]);
    await waitFor('the replica', async () => (await admin.get('/readyz')).status === 200);
    const last = statuses.lastIndexOf(200);
    const unknown = statuses.flatMap((status, i) => (status === 504 && i > last ? [String(i)] : []));
    const known = last < 0 ? 'none' : String(last);
    const { number } = (await admin.ok('GET', `${maps}/large`))['data'] as { number: string };
    expect([known, ...unknown]).toContain(number);

    const body = { metadata: { name: 'large' }, data: { number: 'the end' } };
    await waitFor('a write', async () => (await admin.put(`${maps}/large`, body)).status === 200);
    const told: string[] = [];
    await watch.until(({ object }) => {
      if (object.metadata.name === 'large') told.push((object['data'] as { number: string }).number);
      return told.at(-1) === 'the end';
    });
    const acknowledged = statuses.flatMap((status, i) => (status === 200 ? [String(i)] : []));
    expect(told).toEqual(expect.arrayContaining(acknowledged));
    expect(new Set(told).size).toBe(told.length);
  }, 90_000);
});
