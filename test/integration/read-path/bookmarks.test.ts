/** Bookmarks and the life of watches, over HTTPS: who gets them, where they stand, and when a watch ends. */
import type { EventStream, WatchEvent } from '../../support/client.ts';
import type { Replica } from '../../support/replica.ts';
import {
  create,
  configMaps,
  openService,
  quiet,
  remove,
  versionOf,
  withStreamingLists,
} from '../../support/read-path.ts';

let service: Awaited<ReturnType<typeof openService>>;
let replica: Replica;
const shortest = 1;

const emptyList = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items: [] };
const endOfConfigMaps = {
  'orch.io/initial-events-end': 'true',
  'orch.io/initial-events-list-blueprint': Buffer.from(JSON.stringify(emptyList)).toString('base64'),
};

beforeAll(async () => {
  service = await openService([...quiet, ...withStreamingLists, `--min-request-timeout=${String(shortest)}`]);
  ({ replica } = service);
  await create(replica, 'one');
  await create(replica, 'two');
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

/** All events until the server ends the stream in good order. */
async function untilEnd(stream: EventStream): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  for await (const event of stream) events.push(event);
  expect(stream.broken).toBeUndefined();
  return events;
}

const typesOf = (events: readonly WatchEvent[]): string[] => events.map(({ type }) => type);

test('right before the end at timeoutSeconds, with everything told up to there, though nothing happened', async () => {
  const { resourceVersion } = (await replica.admin.list(configMaps)).metadata;
  const query = `resourceVersion=${resourceVersion}&allowWatchBookmarks=true&timeoutSeconds=1`;
  const begun = performance.now();
  const events = await untilEnd(await replica.admin.watch(`${configMaps}?${query}`));
  expect(performance.now() - begun).toBeGreaterThan(950);
  expect(typesOf(events)).toEqual(['BOOKMARK']);
  expect(events[0]?.object).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { creationTimestamp: null, resourceVersion: expect.any(String) as string },
  });
  expect(Number(events[0]?.object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(resourceVersion));
});

test('a watch resumed from a bookmark misses nothing and repeats nothing', async () => {
  const query = 'allowWatchBookmarks=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dthree';
  const stream = await replica.admin.watch(`${configMaps}?${query}`);
  await create(replica, 'unselected');
  const [bookmark] = await untilEnd(stream);
  const made = await create(replica, 'three');
  const from = bookmark?.object.metadata.resourceVersion ?? '';
  const resumed = await replica.admin.watch(`${configMaps}?${query}&resourceVersion=${from}`);
  const events = await untilEnd(resumed);
  expect(typesOf(events)).toEqual(['ADDED', 'BOOKMARK']);
  expect(events[0]?.object.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  await remove(replica, 'three');
  await remove(replica, 'unselected');
});

test('nobody who did not ask gets one', async () => {
  for (const query of ['timeoutSeconds=1', 'timeoutSeconds=1&allowWatchBookmarks=false']) {
    const events = await untilEnd(await replica.admin.watch(`${configMaps}?${query}`));
    expect([query, typesOf(events)]).toEqual([query, ['ADDED', 'ADDED']]);
  }
});

/** A change and a plain bookmark, which comes at a time of its own: behind the change it tells of it, before it not. */
async function expectChangeAndBookmark(stream: EventStream, name: string): Promise<void> {
  const events = await stream.until(({ type }) => type === 'BOOKMARK');
  const isBehind = events.length > 1;
  if (!isBehind) events.push(...(await stream.until(({ type }) => type !== 'BOOKMARK')));
  stream.close();
  const changes = events.filter(({ type }) => type !== 'BOOKMARK');
  expect(changes.map(({ type, object }) => [type, object.metadata.name])).toEqual([['ADDED', name]]);
  const [change, bookmark] = isBehind ? events : events.toReversed();
  expect(bookmark?.object.metadata.annotations).toBeUndefined();
  expect(versionOf(bookmark!.object) >= versionOf(change!.object)).toBe(isBehind);
}

describe('sendInitialEvents', () => {
  const streaming = 'resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=4';

  afterEach(async () => {
    await replica.admin.delete(`${configMaps}/later`);
  });

  test.each(['', '&resourceVersion=0', '&resourceVersion=1'])(
    'true: the state, the bookmark that ends it, then what follows (%s)',
    async (version) => {
      const path = `${configMaps}?${streaming}&sendInitialEvents=true${version}`;
      const stream = await replica.admin.watch(path);
      const initial = await stream.until(({ type }) => type === 'BOOKMARK');
      expect(typesOf(initial)).toEqual(['ADDED', 'ADDED', 'BOOKMARK']);
      const end = initial.at(-1)?.object;
      expect(end?.metadata.annotations).toEqual(endOfConfigMaps);
      expect(Number(end?.metadata.resourceVersion)).toBeGreaterThanOrEqual(
        Math.max(...initial.slice(0, 2).map(({ object }) => versionOf(object))),
      );
      await create(replica, 'later');
      await expectChangeAndBookmark(stream, 'later');
    },
  );

  test('true, of an empty selection: the bookmark alone', async () => {
    const path = `${configMaps}?${streaming}&sendInitialEvents=true&labelSelector=none`;
    const stream = await replica.admin.watch(path);
    const first = await stream.next();
    expect(first?.object.metadata.annotations).toEqual(endOfConfigMaps);
    stream.close();
  });

  test('false: no state, only what follows', async () => {
    const stream = await replica.admin.watch(`${configMaps}?${streaming}&sendInitialEvents=false`);
    await create(replica, 'later');
    await expectChangeAndBookmark(stream, 'later');
  });
});

test('without timeoutSeconds watches live once to twice --min-request-timeout, each as long as chance has it', async () => {
  const open = async (query: string): Promise<{ begun: number; stream: EventStream }> => {
    const begun = performance.now();
    return { begun, stream: await replica.admin.watch(`${configMaps}?allowWatchBookmarks=true${query}`) };
  };
  const opened = await Promise.all(Array.from({ length: 12 }, () => open('')));
  // Begins after all of them and ends when it is told to: a busy machine holds it up as much as the others.
  const { stream: last } = await open(`&timeoutSeconds=${String(shortest * 3)}`);
  let isLastOver = false;
  const lastEnd = untilEnd(last).then(() => (isLastOver = true));
  const lives = await Promise.all(
    opened.map(async ({ begun, stream }) => {
      const events = await untilEnd(stream);
      expect(typesOf(events)).toEqual(['ADDED', 'ADDED', 'BOOKMARK']);
      return { ms: performance.now() - begun, isFirst: !isLastOver };
    }),
  );
  const times = lives.map(({ ms }) => ms);
  expect(Math.min(...times)).toBeGreaterThanOrEqual(shortest * 950);
  expect(lives.every(({ isFirst }) => isFirst)).toBe(true);
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(100);
  await lastEnd;
});
