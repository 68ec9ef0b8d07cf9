/**
 * Watches from anywhere in etcd's history, over HTTPS: from the memory of a replica at the cost of a look-up, from
 * etcd where the replica does not remember, joined with what happens meanwhile.
 */
import type { ApiObject } from '../../support/client.ts';
import type { Replica } from '../../support/replica.ts';
import {
  change,
  compact,
  configMaps,
  create,
  metricOf,
  openStage,
  type Stage,
  versionOf,
} from '../../support/read-path.ts';
import { Scribe, WatchLog } from './watch-log.ts';

let stage: Stage;
/** Before everything. */
let start = '';

beforeAll(async () => {
  stage = await openStage();
  start = (await stage.near.admin.list(configMaps)).metadata.resourceVersion;
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

/** Calls of a replica to etcd so far. */
const callsOf = (replica: Replica): Promise<number> =>
  metricOf(replica, 'etcd_request_duration_seconds_count');

async function restart(replica: Replica): Promise<void> {
  await replica.stop();
  await replica.start();
}

const selections = [
  '',
  'labelSelector=part%3Done',
  'labelSelector=part!%3Done',
  'fieldSelector=metadata.name!%3Db',
];

test('older than what the replica remembers, while writes go on: all is told once, and in every selection', async () => {
  const scribe = new Scribe(stage.near);
  const open = (replica: Replica): Promise<WatchLog[]> =>
    Promise.all(selections.map((query) => WatchLog.open(replica, start, query)));
  const truths = await open(stage.near);
  await scribe.write(150);
  await restart(stage.far);
  const writing = scribe.write(150);
  const replayed = await open(stage.far);
  await writing;
  // Enters one selection and goes to the other, so that each tells the last version.
  await create(stage.near, 'end', '1', { labels: { part: 'one' } });
  const { resourceVersion } = (await change(stage.near, 'end', '2', { labels: { part: 'two' } })).metadata;
  for (const log of [...truths, ...replayed]) await log.until(resourceVersion);
  expect(replayed.map((log) => log.lines())).toEqual(truths.map((log) => log.lines()));
  const types = new Set(truths[1]?.events.map(({ type }) => type));
  expect(types).toEqual(new Set(['ADDED', 'MODIFIED', 'DELETED']));
  for (const log of [...truths, ...replayed]) log.close();
});

test('a change of labels or fields takes objects into a selection and out of it', async () => {
  const made = await create(stage.near, 'switch', '1', { labels: { part: 'no' } });
  const watch = (query: string): Promise<WatchLog> =>
    WatchLog.open(stage.near, made.metadata.resourceVersion, query);
  const [one, other] = [await watch('labelSelector=part%3Done'), await watch('labelSelector=part!%3Done')];
  const states: ApiObject[] = [];
  for (const [index, part] of ['one', 'one', 'two', 'one'].entries())
    states.push(await change(stage.near, 'switch', String(index), { labels: { part } }));
  const gone = await stage.near.admin.ok('DELETE', `${configMaps}/switch`);
  expect(gone.kind).toBe('Status');
  const end = await create(stage.near, 'one-end', '1', { labels: { part: 'one' } });
  await one.until(end.metadata.resourceVersion);
  const versions = states.map(versionOf);
  const told = one.lines().map((line) => line.replace(/ one-end \d+$/, ''));
  expect(told.slice(0, 4)).toEqual([
    `ADDED switch ${String(versions[0])}`,
    `MODIFIED switch ${String(versions[1])}`,
    `DELETED switch ${String(versions[2])}`,
    `ADDED switch ${String(versions[3])}`,
  ]);
  expect(told[4]).toMatch(/^DELETED switch \d+$/);
  expect(told.slice(5)).toEqual(['ADDED']);
  // What leaves a selection is told in its last state there.
  expect(one.events[2]?.object.metadata.labels).toEqual({ part: 'one' });
  expect(other.lines()).toEqual([
    `DELETED switch ${String(versions[0])}`,
    `ADDED switch ${String(versions[2])}`,
    `DELETED switch ${String(versions[3])}`,
  ]);
  one.close();
  other.close();
});

test('two hundred resume at the cost of a look-up each: etcd is not asked', async () => {
  const from = await create(stage.near, 'resume-from');
  const next = await change(stage.near, 'resume-from', '2');
  const before = await callsOf(stage.near);
  const logs = await Promise.all(
    Array.from({ length: 200 }, () => WatchLog.open(stage.near, from.metadata.resourceVersion)),
  );
  for (const log of logs) await log.until(next.metadata.resourceVersion);
  // Leases and health checks of the replica itself ask now and then.
  expect((await callsOf(stage.near)) - before).toBeLessThan(20);
  for (const log of logs) log.close();
});

test('after a restart the first that comes back asks etcd, the others are served from what it read', async () => {
  await restart(stage.far);
  const first = await WatchLog.open(stage.far, start);
  const end = (await stage.far.admin.list(configMaps)).metadata.resourceVersion;
  const last = await create(stage.near, 'after-restart');
  await first.until(last.metadata.resourceVersion);
  const before = await callsOf(stage.far);
  const logs = await Promise.all(Array.from({ length: 50 }, () => WatchLog.open(stage.far, start)));
  for (const log of logs) await log.until(last.metadata.resourceVersion);
  // Each would ask once. Where the first read slowly, its replay paused and is not kept as a whole: then a few ask again.
  expect((await callsOf(stage.far)) - before).toBeLessThan(logs.length / 2);
  expect(Number(end)).toBeLessThan(versionOf(last));
  for (const log of logs) expect(log.lines()).toEqual(first.lines());
  for (const log of [first, ...logs]) log.close();
});

test('compacted: HTTP 410 before the stream starts', async () => {
  const kept = await create(stage.near, 'kept');
  const after = await create(stage.near, 'kept-after');
  await compact(stage.etcd, versionOf(kept));
  await restart(stage.far);
  const refused = await stage.far.admin.get(`${configMaps}?watch=true&resourceVersion=${start}`);
  expect(refused.status).toBe(410);
  expect(refused.json()).toMatchObject({
    kind: 'Status',
    reason: 'Expired',
    message: expect.stringMatching(/^too old resource version: \d+ \(\d+\); list again/) as string,
  });
  const log = await WatchLog.open(stage.far, kept.metadata.resourceVersion);
  await log.until(after.metadata.resourceVersion);
  expect(log.lines()).toEqual([`ADDED kept-after ${after.metadata.resourceVersion}`]);
  log.close();
});
