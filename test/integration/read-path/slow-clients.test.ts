/** Clients that read slowly or not at all: what they cost, what becomes of them, and that others do not notice. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';

import type { ApiObject, WatchEvent } from '../../support/client.ts';
import type { Replica } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  change,
  configMaps,
  create,
  createMany,
  linesOf,
  metricOf,
  openService,
  versionOf,
} from '../../support/read-path.ts';

const count = 800;
const padding = 50_000;
const names = Array.from({ length: count }, (_none, index) => `m-${String(index).padStart(4, '0')}`);

let service: Awaited<ReturnType<typeof openService>>;
let replica: Replica;
/** Before the first object. */
let start = '';

beforeAll(async () => {
  service = await openService();
  ({ replica } = service);
  start = (await replica.admin.list(configMaps)).metadata.resourceVersion;
  // The last in key order are the oldest, so that the order of the state is not that of the versions.
  await createMany(replica, names.toReversed(), { padding });
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

/** Resident memory of the replica, in MB. */
function residentMb(): number {
  const status = readFileSync(`/proc/${replica.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

function fail(): never {
  throw new Error('the watch ended');
}

/** Answers whose body nobody reads. */
function openUnread(path: string, many: number): Promise<IncomingMessage[]> {
  return Promise.all(Array.from({ length: many }, () => replica.admin.open('GET', path)));
}

function closeAll(responses: readonly IncomingMessage[]): void {
  for (const response of responses) response.on('error', () => undefined).destroy();
}

async function readAll(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The slowest of GETs sent one after the other while `busy` is under way, and how long that was, in milliseconds. */
async function getsDuring(busy: Promise<unknown>): Promise<{ slowest: number; all: number }> {
  let isOver = false;
  const over = busy.finally(() => (isOver = true));
  const first = performance.now();
  let slowest = 0;
  while (!isOver) {
    const begun = performance.now();
    await replica.admin.get(`${configMaps}/none`);
    slowest = Math.max(slowest, performance.now() - begun);
  }
  await over;
  return { slowest, all: performance.now() - first };
}

describe('large lists', () => {
  test('eight clients that do not read 40 MB cost no copies of it, and others are served', async () => {
    await readAll(await replica.admin.open('GET', configMaps));
    const before = residentMb();
    const unread = await openUnread(configMaps, 8);
    expect((await readAll(await replica.admin.open('GET', configMaps))).length).toBeGreaterThan(
      count * padding,
    );
    // Buffered lists would be 320 MB.
    expect(residentMb() - before).toBeLessThan(120);
    closeAll(unread);
  });

  test('gzip for those who ask: the same bytes, made while others are served', async () => {
    const headers = { 'accept-encoding': 'gzip' };
    const plain = await readAll(await replica.admin.open('GET', configMaps));
    const packed = await replica.admin.open('GET', configMaps, undefined, headers);
    expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(packed.headers['content-length']).toBeUndefined();
    const unpacking = readAll(packed.pipe(createGunzip()));
    const { slowest, all } = await getsDuring(unpacking);
    // A machine with other work takes longer for both.
    expect(slowest).toBeLessThan(Math.max(1_000, all / 2));
    expect((await unpacking).equals(plain)).toBe(true);
  });

  test('no gzip up to 128 KB, none unasked, none where it is refused, and no ETag anywhere', async () => {
    const [one] = names;
    const asked: [path: string, accept: string, packed: string | undefined][] = [
      [`${configMaps}/${one}`, 'gzip', undefined],
      [`${configMaps}?limit=2`, 'gzip', undefined],
      [`${configMaps}?limit=3`, 'gzip', 'gzip'],
      [`${configMaps}?limit=3`, 'deflate, gzip;q=0.5', 'gzip'],
      [`${configMaps}?limit=3`, 'gzip;q=0', undefined],
      [`${configMaps}?limit=3`, '', undefined],
    ];
    for (const [path, accept, packed] of asked) {
      const answer = await replica.admin.get(path, accept === '' ? {} : { 'accept-encoding': accept });
      expect([path, accept, answer.headers['content-encoding']]).toEqual([path, accept, packed]);
      expect(answer.headers.etag).toBeUndefined();
    }
  });

  test('pretty: indented, of the same content, compressed as well', async () => {
    const plain = await replica.admin.get(`${configMaps}?limit=3`);
    const pretty = await replica.admin.get(`${configMaps}?limit=3&pretty=true`);
    expect(pretty.text).toContain('\n  "items": [\n');
    expect(pretty.json()).toEqual(plain.json());
    const path = `${configMaps}?limit=3&pretty=true`;
    const packed = await replica.admin.open('GET', path, undefined, { 'accept-encoding': 'gzip' });
    expect((await readAll(packed.pipe(createGunzip()))).equals(pretty.body)).toBe(true);
  });
});

describe('watches', () => {
  test('twelve that stop reading are ended, cost little, and a thirteenth misses and waits for nothing', async () => {
    const { resourceVersion } = (await replica.admin.list(`${configMaps}?limit=1`)).metadata;
    const from = `${configMaps}?resourceVersion=${resourceVersion}`;
    const ended = await metricOf(replica, 'apiserver_terminated_watchers_total');
    const reader = await replica.admin.watch(from);
    const before = residentMb();
    const stuck = await openUnread(`${from}&watch=true`, 12);
    const written: string[] = [];
    await waitFor('the stuck watches to be ended', async () => {
      for (let i = 0; i < 20; i += 1) written.push(await writeOne(written.length));
      return (await metricOf(replica, 'apiserver_terminated_watchers_total')) - ended >= 12;
    });
    const seen = await reader.until(({ object }) => object.metadata.resourceVersion === written.at(-1));
    expect(seen.map(({ object }) => object.metadata.resourceVersion)).toEqual(written);
    expect(residentMb() - before).toBeLessThan(300);
    reader.close();
    closeAll(stuck);
  });

  async function writeOne(index: number): Promise<string> {
    const changed = await change(replica, 'm-0000', String(index), { padding: 200_000 });
    return changed.metadata.resourceVersion;
  }

  test('more than the bounds at once is no reason to end one that reads', async () => {
    const state = await replica.admin.watch(`${configMaps}?resourceVersion=0`);
    const initial = await state.until(({ object }) => object.metadata.name === names.at(-1));
    expect(initial.length).toBe(count);
    state.close();
    const history = await replica.admin.watch(`${configMaps}?resourceVersion=${start}`);
    const past: ApiObject[] = [];
    while (past.length < count) past.push((await history.next())?.object ?? fail());
    expect(past.map(({ metadata }) => metadata.name).toSorted()).toEqual(names);
    expect(past.map(versionOf)).toEqual(past.map(versionOf).toSorted((a, b) => a - b));
    history.close();
  });

  test('one that reads slowly while the state is sent gets no bookmark that runs ahead', async () => {
    const query = 'resourceVersion=0&watch=true&allowWatchBookmarks=true&timeoutSeconds=2';
    const response = await replica.admin.open('GET', `${configMaps}?${query}`);
    const other = await replica.admin.watch(
      `${configMaps}?timeoutSeconds=2&fieldSelector=metadata.name=none`,
    );
    expect(await other.next()).toBeUndefined();
    const text = (await readAll(response)).toString();
    const events = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as WatchEvent]));
    const added = events.filter(({ type }) => type === 'ADDED').length;
    const bookmarks = events.filter(({ type }) => type === 'BOOKMARK').map(({ object }) => versionOf(object));
    expect(added).toBeLessThan(count);
    expect(bookmarks).toEqual([]);
  });

  test('many that do not read what is replayed do not keep another from its replay', async () => {
    await replica.stop();
    await replica.start();
    const stuck = await openUnread(`${configMaps}?resourceVersion=${start}&watch=true`, 20);
    const other = '/api/v1/namespaces';
    const created: ApiObject = await create(replica, 'late');
    const { resourceVersion } = (await replica.admin.list(other)).metadata;
    expect(versionOf(created)).toBeLessThanOrEqual(Number(resourceVersion));
    const stream = await replica.admin.watch(`${other}?resourceVersion=${Number(start) - 1}`);
    await replica.admin.ok('POST', other, { metadata: { name: 'late' } });
    const seen = await stream.until(({ object }) => object.metadata.name === 'late');
    expect(linesOf(seen).at(-1)).toBe('ADDED late=');
    stream.close();
    closeAll(stuck);
  });
});
