/**
 * Histories that are larger than what etcd should send at once: it is asked for fragments, which it cuts between
 * any two events, also of one revision. A revision is nevertheless told as a whole.
 */
import { useEtcd } from '../../support/etcd/used-etcd.ts';
import { TcpProxy } from '../../support/tcp-proxy.ts';
import { numberOf } from '../../../src/storage/etcd/etcd-messages.ts';
import type { EtcdStorage } from '../../../src/storage/storage.ts';
import type { Revision, StoredEvent } from '../../../src/storage/types.ts';
import {
  forever,
  json,
  longestTurn,
  mostRecent,
  pods,
  Recorder,
  startStorage,
  untilReached,
  watchAfter,
} from '../../support/storage.ts';

const keysPerRevision = 10;
/** Ten of them fit a transaction; with the states before, a revision takes more than a fragment. */
const valueBytes = 140_000;
const prefix = '/fragments';

const used = useEtcd();
let opened: EtcdStorage[] = [];

afterEach(async () => {
  await Promise.all(opened.map((storage) => storage.close()));
  opened = [];
});

async function openStorage(
  overrides: Parameters<typeof startStorage>[1],
  endpoints = used.cluster.endpoints,
) {
  const storage = await startStorage(endpoints, overrides);
  opened.push(storage);
  return storage;
}

/** Puts many objects in one revision, as another program may. */
async function putTogether(round: number): Promise<Revision> {
  const value = json({ round, padding: 'x'.repeat(valueBytes) });
  const success = Array.from({ length: keysPerRevision }, (_none, index) => ({
    request_put: { key: Buffer.from(`${prefix}/${pods}/p${String(index)}`), value },
  }));
  return numberOf((await used.client.txn({ compare: [], success, failure: [] })).header.revision);
}

/** Notes how many events of which revision came together. */
class BatchRecorder extends Recorder {
  readonly batches: string[] = [];

  override onEvents(events: readonly StoredEvent[]): void {
    super.onEvents(events);
    for (const [revision, share] of Map.groupBy(events, (event) => event.revision))
      this.batches.push(`${String(revision)}: ${String(share.length)}`);
  }
}

const wholeRevisions = (revisions: readonly Revision[]): string[] =>
  revisions.map((revision) => `${String(revision)}: ${String(keysPerRevision)}`);

test('a replay delivers fragmented revisions completely, also during writes', async () => {
  const storage = await openStorage({ prefix });
  const start = storage.revision();
  const live = watchAfter(storage, start);
  const revisions: Revision[] = [];
  for (let round = 0; round < 6; round += 1) revisions.push(await putTogether(round));
  const other = await openStorage({ prefix });
  const recorder = new BatchRecorder();
  other.watch(
    { collection: pods, prefix: '', signal: forever, start: { kind: 'after', revision: start } },
    recorder,
  );
  for (let round = 6; round < 9; round += 1) revisions.push(await putTogether(round));
  const end = revisions.at(-1) ?? 0;
  await Promise.all([untilReached(recorder, end), untilReached(live, end)]);
  expect(recorder.batches).toEqual(wholeRevisions(revisions));
  expect(recorder.lines()).toEqual(live.lines());
  expect(other.stats().replays).toBe(1);
});

test('a follower that was away takes the fragmented past by whole revisions', async () => {
  await using proxy = await TcpProxy.start(used.cluster.endpoints[0] ?? '');
  const storage = await openStorage({ prefix }, [proxy.endpoint]);
  const recorder = new BatchRecorder();
  const start = { kind: 'after', revision: storage.revision() } as const;
  storage.watch({ collection: pods, prefix: '', signal: forever, start }, recorder);
  proxy.refuse();
  const revisions: Revision[] = [];
  for (let round = 0; round < 6; round += 1) revisions.push(await putTogether(round));
  proxy.accept();
  await untilReached(recorder, revisions.at(-1) ?? 0);
  expect(recorder.batches).toEqual(wholeRevisions(revisions));
  expect(storage.stats().loads).toBe(1);
  expect((await storage.snapshot(pods, mostRecent, forever)).size).toBe(keysPerRevision);
});

test('a history of 120 MB is replayed in pieces, and nothing else waits for it', async () => {
  const storage = await openStorage({ prefix: '/large' });
  const begin = storage.revision();
  const padding = 'x'.repeat(200_000);
  let last = (await storage.create(pods, 'a', json({ padding }))).revision;
  for (let i = 0; i < 300; i += 1)
    last = (await storage.update(pods, 'a', json({ i, padding }), last)).revision;
  const other = await openStorage({ prefix: '/large', limits: { ringBytes: 1_000_000 } });
  const recorder = watchAfter(other, begin);
  // In one answer it did not even come in time.
  expect(await longestTurn(untilReached(recorder, last))).toBeLessThan(500);
  expect(recorder.events.length).toBe(301);
});
