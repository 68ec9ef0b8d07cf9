/** History that goes away while it is told, and many who ask for it at once: nothing is left out in silence. */
import type { IncomingMessage } from 'node:http';

import type { ApiList, WatchEvent } from '../../support/client.ts';
import type { Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  change,
  compact,
  configMaps,
  create,
  createMany,
  listOf,
  metricOf,
  openService,
  versionOf,
} from '../../support/read-path.ts';
import { WatchLog } from './watch-log.ts';

let service: Awaited<ReturnType<typeof openService>>;
let replica: Replica;

beforeEach(async () => {
  service = await openService();
  ({ replica } = service);
});

afterEach(async () => {
  await service[Symbol.asyncDispose]();
});

async function restart(): Promise<void> {
  await replica.stop();
  await replica.start();
}

async function newest(): Promise<string> {
  return (await replica.admin.list(configMaps)).metadata.resourceVersion;
}

/** Versions of so many changes of one object. */
async function changes(count: number, padding: number): Promise<number[]> {
  const versions: number[] = [];
  for (let i = 0; i < count; i += 1)
    versions.push(versionOf(await change(replica, 'a', String(i), { padding })));
  return versions;
}

/** All that is told until the stream ends, or until the version. */
async function toldBy(response: IncomingMessage, last: number): Promise<WatchEvent[]> {
  const told: WatchEvent[] = [];
  let rest = '';
  response.setEncoding('utf8');
  for await (const text of response) {
    const lines = (rest + String(text)).split('\n');
    rest = lines.pop() ?? '';
    told.push(...lines.map((line) => JSON.parse(line) as WatchEvent));
    const { type, object } = told.at(-1) ?? {};
    if (type !== 'ERROR' && object && versionOf(object) >= last) break;
  }
  return told;
}

/** Streams of changes that etcd has open: one for each replica, one for each replay under way. */
async function etcdWatchers(): Promise<number> {
  const text = await (await fetch(`${service.etcd.endpoints[0] ?? ''}/metrics`)).text();
  return Number(/^etcd_debugging_mvcc_watcher_total (\S+)$/m.exec(text)?.[1]);
}

test('compacted during a replay: events up to there, and then 410 in the stream', async () => {
  const start = versionOf(await create(replica, 'a'));
  const truth = await changes(100, 400_000);
  const last = truth.at(-1) ?? 0;
  await restart();
  const path = `${configMaps}?watch=true&resourceVersion=${String(start)}`;
  // Nobody reads: the replays stand still where the buffers on the way are full, and give their streams back.
  const responses = await Promise.all([1, 2, 3].map(() => replica.admin.open('GET', path)));
  await waitFor('the replays to stand still', async () => (await etcdWatchers()) === 1);
  await compact(service.etcd, last);
  for (const response of responses) {
    const told = await toldBy(response, last);
    expect(told.pop()).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', code: 410, reason: 'Expired' },
    });
    const versions = told.map(({ object }) => versionOf(object));
    expect(versions.length).toBeGreaterThan(0);
    expect(versions).toEqual(truth.slice(0, versions.length));
    expect(response.complete).toBe(true);
  }
  const late = await replica.admin.get(path);
  expect([late.status, late.json()['reason']]).toEqual([410, 'Expired']);
});

test('what is compacted stays so after a restart: watches, exact lists and continue tokens get 410', async () => {
  await createMany(replica, ['a', 'b', 'c', 'd']);
  const old = await newest();
  const page = await replica.admin.list(`${configMaps}?limit=1`);
  await change(replica, 'c', '2');
  await compact(service.etcd, Number(await newest()));
  await restart();
  const paths = [
    `watch=true&resourceVersion=${old}`,
    `resourceVersion=${old}&resourceVersionMatch=Exact`,
    `limit=9&continue=${page.metadata.continue ?? ''}`,
  ];
  for (const path of paths) {
    const { status, ...answer } = await replica.admin.get(`${configMaps}?${path}`);
    expect([path, status, answer.json()['reason']]).toEqual([path, 410, 'Expired']);
  }
  const refused = await replica.admin.get(`${configMaps}?${paths[2] ?? ''}`);
  const { metadata } = refused.json() as unknown as ApiList;
  const rest = listOf(await replica.admin.get(`${configMaps}?limit=9&continue=${metadata.continue ?? ''}`));
  expect(rest.items.map((item) => item.metadata.name)).toEqual(['b', 'c', 'd']);
  const kept = await WatchLog.open(replica, await newest());
  const next = await create(replica, 'e');
  await kept.until(next.metadata.resourceVersion);
  expect(kept.lines()).toEqual([`ADDED e ${next.metadata.resourceVersion}`]);
  kept.close();
});

/**
 * Watches of one client, a few handshakes at a time: all thousand at once are more than this one program can do in the
 * ten seconds that a handshake may take.
 */
async function comeBack(replica: Pick<Replica, 'admin'>, start: string, count: number): Promise<WatchLog[]> {
  const logs: WatchLog[] = [];
  const open = async (): Promise<void> => {
    while (count-- > 0) logs.push(await WatchLog.open(replica, start));
  };
  await Promise.all(Array.from({ length: 20 }, open));
  return logs;
}

test('a thousand watches that reconnect after a restart: each exact, few requests to etcd', async () => {
  const start = (await create(replica, 'a')).metadata.resourceVersion;
  const truth = await changes(50, 0);
  const last = String(truth.at(-1));
  await restart();
  // A client has 256 connections at most, and each watch takes one.
  const clients = Array.from({ length: 5 }, () => replica.client(replica.pki.admin));
  const before = await metricOf(replica, 'etcd_request_duration_seconds_count');
  const logs = (await Promise.all(clients.map((admin) => comeBack({ admin }, start, 200)))).flat();
  await Promise.all(logs.map((log) => log.until(last)));
  const asked = (await metricOf(replica, 'etcd_request_duration_seconds_count')) - before;
  const told = new Set(logs.map((log) => log.lines().join('\n')));
  expect([...told]).toEqual([truth.map((version) => `MODIFIED a ${String(version)}`).join('\n')]);
  expect(asked).toBeLessThan(100);
  for (const log of logs) log.close();
  for (const client of clients) client.close();
});
