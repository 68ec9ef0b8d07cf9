import { systemClock } from '../../../src/base/clock.ts';
import { reflect, type ReflectorOptions } from '../../../src/controllers/reflector.ts';
import type { MetadataEvent } from '../../../src/controllers/types.ts';
import type { ApiObject } from '../../../src/meta/object.ts';
import { StatusError } from '../../../src/meta/status.ts';
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

async function start(more: Partial<ReflectorOptions> = {}): Promise<void> {
  const onEvent = ({ type, object: { metadata } }: MetadataEvent): unknown =>
    seen.push(`${type} ${metadata.name ?? ''} ${metadata.uid ?? ''}`);
  const synced = new Promise<void>((onSynced) => {
    const options = { clock, client: api, resource: maps, log, onEvent, onSynced };
    running = reflect({ ...options, ...more }, stop.signal);
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
  const gone: ApiObject[] = [];
  const nameOf = ({ metadata }: ApiObject): string => metadata.name ?? '';
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
  expect(gone.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))).toEqual([
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

test('what a list has is not told where only changes are of interest, and not read', async () => {
  api.put(maps, 'a', 'one');
  await start({ onListed: () => seen.push('listed') });
  await waitFor('the watch', () => api.isWatched(maps));
  api.put(maps, 'a', 'two');
  api.loseHistory();
  api.remove(maps, 'a', 'one');
  api.put(maps, 'a', 'three');
  await waitFor('the next watch', () => api.isWatched(maps));
  api.remove(maps, 'a', 'two');
  expect(seen).toEqual(['listed', 'ADDED two two', 'listed', 'DELETED two two']);
  expect(api.listed).toEqual([]);
});

test('who knows what was told is asked for what a later list lacks, behind what it has', async () => {
  const onUnlisted: ReflectorOptions['onUnlisted'] = (listed) => {
    seen.push(`of ${String(listed.size)}: ${String(listed.has('one'))} ${String(listed.has('two'))}`);
    return Promise.resolve();
  };
  api.put(maps, 'a', 'one');
  await start({ onUnlisted });
  await waitFor('the watch', () => api.isWatched(maps));
  api.loseHistory();
  api.remove(maps, 'a', 'one');
  api.put(maps, 'a', 'two');
  await waitFor('the next watch', () => api.isWatched(maps));
  expect(seen).toEqual(['ADDED one one', 'ADDED two two', 'of 1: false true']);
});

test('what a list told that ended early is gone if the next list lacks it', async () => {
  api.put(maps, 'a', 'one');
  api.put(maps, 'a', 'two');
  const whole = api.eachMetadata.bind(api);
  api.eachMetadata = (_resource, { onItem }) => {
    api.eachMetadata = whole;
    for (const object of api.all(maps)) onItem(object);
    api.remove(maps, 'a', 'one');
    return Promise.reject(new StatusError(500, 'InternalError', 'no page'));
  };
  await start();
  expect(seen).toEqual(['ADDED one one', 'ADDED two two', 'DELETED one one', 'MODIFIED two two']);
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
