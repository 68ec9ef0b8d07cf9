/**
 * Failures between the follower and etcd: in each case the view recovers, health says what is wrong meanwhile, and
 * a watch continues exactly or is told that history is lost.
 */
import { useEtcd } from '../../support/etcd/used-etcd.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import type { Revision } from '../../../src/storage/types.ts';
import {
  forever,
  json,
  lineOf,
  mostRecent,
  pods,
  quickTimes,
  type Recorder,
  startStorage,
  untilReached,
  watchAfter,
} from '../../support/storage.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';

const used = useEtcd();
let proxy: TcpProxy;
/** Behind the proxy. */
let storage: EtcdStorage;
/** Straight to etcd. */
let other: EtcdStorage;
let prefix = '';
let prefixNumber = 0;

beforeEach(async () => {
  prefixNumber += 1;
  prefix = `/f${String(prefixNumber)}`;
  proxy = await TcpProxy.start(used.cluster.endpoints[0] ?? '');
  storage = await startStorage([proxy.endpoint], { prefix, times: quickTimes });
  other = await startStorage(used.cluster.endpoints, { prefix });
  await storage.create(pods, 'first', json(0));
  await storage.snapshot(pods, mostRecent, forever);
});

afterEach(async () => {
  await Promise.all([storage.close(), other.close()]);
  await proxy.close();
});

interface Watches {
  readonly here: Recorder;
  readonly there: Recorder;
}

/** A watch through each storage, to be compared after the failure; both stand. */
async function twoWatches(): Promise<Watches> {
  const revision = storage.revision();
  const [here, there] = [watchAfter(storage, revision), watchAfter(other, revision)];
  await waitFor('the watches', () => here.established > 0 && there.established > 0);
  return { here, there };
}

async function expectExact({ here, there }: Watches): Promise<void> {
  const { revision } = await other.create(pods, `last-${String(Date.now())}`, json(1));
  await Promise.all([untilReached(here, revision), untilReached(there, revision)]);
  expect(here.events.map(lineOf)).toEqual(there.events.map(lineOf));
}

/** Gives the revision of the last write. */
async function writeMany(count: number): Promise<Revision> {
  let revision = 0;
  for (let i = 0; i < count; i += 1) ({ revision } = await other.create(pods, `n-${String(i)}`, json(i)));
  return revision;
}

const fresh = () => storage.snapshot(pods, mostRecent, forever);
const healthy = async (): Promise<boolean> => {
  const { etcd: store, follower } = await storage.health();
  return store === '' && follower === '';
};

test('a cut connection: the watch resumes where it was', async () => {
  const watches = await twoWatches();
  for (let i = 0; i < 5; i += 1) {
    await other.create(pods, `c-${String(i)}`, json(i));
    proxy.cut();
  }
  await expectExact(watches);
  expect(storage.stats().loads).toBe(1);
  expect((await fresh()).size).toBe(7);
});

test('a burst of large writes over a slow network waits here, and each is answered in its time', async () => {
  // With the deadlines of a service: one attempt may take three seconds, and all of them together take four.
  const patient = await startStorage([proxy.endpoint], { prefix, times: {} });
  proxy.throttle('toServer', 4_000_000);
  const names = Array.from({ length: 40 }, (_, i) => `large-${String(i)}`);
  try {
    await Promise.all(names.map((name) => patient.create(pods, name, json('x'.repeat(400_000)))));
    expect(patient.stats().ambiguousWrites).toBe(0);
  } finally {
    await patient.close();
  }
});

test('a network that is away: health says so, reads of any state go on, fresh reads fail, then all recovers', async () => {
  const watches = await twoWatches();
  proxy.refuse();
  await writeMany(10);
  await waitFor('health to notice', async () => (await storage.health()).follower !== '', { interval: 100 });
  expect((await storage.health()).etcd).not.toBe('');
  expect((await storage.snapshot(pods, { kind: 'any' }, forever)).size).toBe(1);
  await expect(fresh()).rejects.toMatchObject({ code: 'unavailable' });
  proxy.accept();
  await waitFor('health to recover', healthy, { interval: 100 });
  await expectExact(watches);
  expect((await fresh()).size).toBe(12);
});

test.each(['toClient', 'toServer'] as const)(
  'all connections silent %s: new ones are taken',
  async (direction) => {
    const watches = await twoWatches();
    proxy.hold(direction);
    await writeMany(3);
    expect((await fresh()).size).toBe(4);
    await expectExact(watches);
    expect(storage.stats().loads).toBe(1);
  },
);

test('a watch stream that alone is silent is found dead by a fence key', async () => {
  const watches = await twoWatches();
  // Each service has a connection of its own; events come over that of the watch.
  const held = proxy.holdNext('toClient', 'the-last-event');
  await other.create(pods, 'the-last-event', json(1));
  await held;
  await writeMany(3);
  expect((await fresh()).size).toBe(5);
  const { fences, connects, loads } = storage.stats();
  expect([fences > 0, connects, loads]).toEqual([true, 2, 1]);
  await expectExact(watches);
});

test('compaction while disconnected: the view is reloaded and watches end', async () => {
  const here = watchAfter(storage, storage.revision());
  await waitFor('the watch', () => here.established > 0);
  proxy.refuse();
  await used.client.compact(await writeMany(10));
  proxy.accept();
  await waitFor('the end of the watch', () => here.ended?.code === 'compacted');
  expect((await fresh()).size).toBe(11);
  expect(storage.stats().loads).toBe(2);
  const again = watchAfter(storage, storage.revision());
  const { revision } = await other.create(pods, 'later', json(1));
  await untilReached(again, revision);
  expect(again.events.map(({ key }) => key)).toEqual(['later']);
});

test('etcd killed and started again with its data', async () => {
  const watches = await twoWatches();
  await writeMany(5);
  const [member] = used.cluster.members;
  await member?.kill();
  await waitFor('health to notice', async () => (await storage.health()).etcd !== '', { interval: 100 });
  await member?.start();
  await used.cluster.healthy();
  await waitFor('health to recover', healthy, { interval: 100 });
  await expectExact(watches);
  expect((await fresh()).size).toBe(7);
});

test('etcd frozen: calls end in time, and all goes on when it thaws', async () => {
  const watches = await twoWatches();
  const [member] = used.cluster.members;
  await member?.pause();
  await expect(fresh()).rejects.toMatchObject({ code: 'unavailable' });
  const code = expect.stringMatching(/^(timeout|unavailable)$/) as string;
  await expect(storage.create(pods, 'x', json(1))).rejects.toMatchObject({ code });
  await member?.resume();
  await waitFor('health to recover', healthy, { interval: 100 });
  await expectExact(watches);
});
