import { systemClock } from '../../../src/base/clock.ts';
import { reflect } from '../../../src/controllers/reflector.ts';
import type { MetadataEvent } from '../../../src/controllers/types.ts';
import { FakeApiClient, resourceRef } from '../../support/fake-api-client.ts';
import { waitFor } from '../../support/wait-for.ts';

const maps = resourceRef('Map');
const ignore = (): void => undefined;
const log = { info: ignore, warn: ignore, error: ignore };

let api: FakeApiClient;
let clock: typeof systemClock;
let seen: string[];
let stop: AbortController;
let running: Promise<void>;

beforeEach(() => {
  api = new FakeApiClient([maps]);
  seen = [];
  clock = systemClock;
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await running;
});

async function start(
  isOfUse = (): boolean => true,
  onMostGone = (_listed: ReadonlySet<string>): boolean => false,
): Promise<void> {
  const onEvent = ({ type, object: { metadata } }: MetadataEvent): unknown =>
    seen.push(`${type} ${metadata.name ?? ''} ${metadata.uid ?? ''}`);
  const synced = new Promise<void>((onSynced) => {
    const options = { clock, client: api, resource: maps, log, onEvent, onSynced, isOfUse, onMostGone };
    running = reflect(options, stop.signal);
  });
  await synced;
}

test('a new list first says what is gone, so that an object of the same name outlives it', async () => {
  api.put(maps, 'a', 'same');
  await start();
  await waitFor('the watch', () => api.isWatched(maps));
  api.loseHistory();
  api.remove(maps, 'a', 'same');
  api.put(maps, 'a', 'same', { uid: 'another' });
  await waitFor('the new list', () => seen.length === 3);
  expect(seen).toEqual(['ADDED same same', 'DELETED same same', 'ADDED same another']);
});

test('of an object that a new list lacks, names and the annotations that are asked for are told', async () => {
  const gone: unknown[] = [];
  const onEvent = ({ type, object }: MetadataEvent): unknown =>
    type === 'DELETED' ? gone.push(object) : undefined;
  const labels = { a: 'b' };
  api.put(maps, 'a', 'listed', { labels, annotations: { 'kept.io/it': '1', other: '2' } });
  const options = { clock, client: api, resource: maps, log, onEvent, keptAnnotations: ['kept.io/it'] };
  await new Promise<void>((resolve) => {
    running = reflect({ ...options, onSynced: resolve }, stop.signal);
  });
  await waitFor('the watch', () => api.isWatched(maps));
  api.put(maps, 'a', 'watched', { labels });
  api.loseHistory();
  for (const name of api.names(maps)) api.remove(maps, 'a', name);
  await waitFor('the new list', () => gone.length === 2);
  const told = { namespace: 'a', resourceVersion: expect.any(String) as string };
  expect(gone).toEqual([
    {
      ...{ apiVersion: 'v1', kind: 'Map' },
      metadata: { ...told, name: 'listed', uid: 'listed', annotations: { 'kept.io/it': '1' } },
    },
    { apiVersion: 'v1', kind: 'Map', metadata: { ...told, name: 'watched', uid: 'watched' } },
  ]);
});

test('a list is due at once when a watch that was of use lost the history', async () => {
  const pauses: number[] = [];
  const setTimeout: typeof systemClock.setTimeout = (callback, ms) => {
    pauses.push(ms);
    return systemClock.setTimeout(callback, ms);
  };
  clock = { ...systemClock, setTimeout };
  await start();
  await waitFor('the watch', () => api.isWatched(maps));
  api.put(maps, 'a', 'one');
  await waitFor('the event', () => seen.length === 1);
  api.loseHistory();
  api.remove(maps, 'a', 'one');
  await waitFor('the new list', () => seen.length === 2);
  expect(pauses).toEqual([]);
});

test('what a list changes is not told where it is of no use, and known all the same', async () => {
  let isOfUse = true;
  api.put(maps, 'a', 'one');
  await start(() => isOfUse);
  await waitFor('the watch', () => api.isWatched(maps));
  isOfUse = false;
  const begun = api.watchesBegun;
  api.loseHistory();
  api.remove(maps, 'a', 'one');
  api.put(maps, 'a', 'two');
  await waitFor('the next watch', () => api.watchesBegun > begun);
  isOfUse = true;
  api.loseHistory();
  api.remove(maps, 'a', 'two');
  await waitFor('the deletion', () => seen.length > 1);
  expect(seen).toEqual(['ADDED one one', 'DELETED two two']);
});

test.each([
  ['is taken note of', 1],
  ['is not, and so is told', 1_201],
])('that most of what was known is gone %s at once', async (_name, deletions) => {
  const wanted = (i: number): string => `n-${String(i)}`;
  for (let i = 0; i < 1_200; i += 1) api.put(maps, 'a', wanted(i));
  const asked: string[][] = [];
  await start(
    () => true,
    (listed) => {
      asked.push([...listed]);
      return deletions === 1;
    },
  );
  await waitFor('the watch', () => api.isWatched(maps));
  seen = [];
  api.loseHistory();
  for (let i = 0; i < 1_200; i += 1) api.remove(maps, 'a', wanted(i));
  api.put(maps, 'a', 'new');
  await waitFor('the new list', () => seen.at(-1) === 'ADDED new new');
  expect([asked, seen.length]).toEqual([[['new']], deletions]);
  // It is known what is gone: no later list tells it again.
  const begun = api.watchesBegun;
  api.loseHistory();
  api.remove(maps, 'a', 'new');
  await waitFor('the next watch', () => api.watchesBegun > begun);
  expect([asked.length, seen.at(-1)]).toEqual([1, 'DELETED new new']);
});

test('a watch that ends at once, again and again, is not opened in a busy loop', async () => {
  api.endsWatches = true;
  await start();
  await waitFor('some watches', () => api.watchesBegun >= 2);
  const begun = performance.now();
  const before = api.watchesBegun;
  await waitFor('some time', () => performance.now() - begun > 500);
  expect(api.watchesBegun - before).toBeLessThan(5);
  api.endsWatches = false;
  await waitFor('a watch that lasts', () => api.isWatched(maps));
});
