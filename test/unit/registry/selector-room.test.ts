/** What open watches keep of long selectors is bounded: a URL of 64 KB makes megabytes of them. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { watchObjects } from '../../../src/registry/watch/watch-objects.ts';
import { SelectorRoom } from '../../../src/registry/watch/selector-room.ts';
import { compileSelection } from '../../../src/registry/read/selection.ts';
import type { RequestScope, ServedResource, WatchQuery, WatchSink } from '../../../src/registry/types.ts';
import type { Storage } from '../../../src/storage/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import { HandClock } from '../../support/hand-clock.ts';

const { catalogue } = realCatalogue(namingProfiles.kubernetes);
const resource = catalogue.resource('', 'v1', 'configmaps') as ServedResource;

/** Its watches are established at once. */
const storage = {
  watch: (_options, subscriber) => {
    subscriber.onEstablished();
    return { close: () => undefined };
  },
} as Pick<Storage, 'watch'> as Storage;
const sink: WatchSink = {
  ...{ onItems: () => undefined, onBookmark: () => undefined, onError: () => undefined },
  ready: () => Promise.resolve(),
};

/** A selector of about 16 KB that no other number gives. */
function longSelector(number: number, term: (i: number) => string = (i) => `${i.toString(36)}=`): string {
  let text = `l${String(number)}`;
  for (let i = 0; text.length < 16_000; i += 1) text += `,${term(i)}`;
  return text;
}

interface Opened {
  readonly isRefused: boolean;
  readonly close: () => void;
}

async function open(room: SelectorRoom, labelSelector: string, name = 'u'): Promise<Opened> {
  const closing: (() => void)[] = [];
  const lifetime = {
    aborted: false,
    reason: undefined,
    onClose: (action: () => void) => closing.push(action),
  };
  const signal = new AbortController().signal;
  const scope = { resource, namespace: 'x', signal, user: { name }, lifetime } as unknown as RequestScope;
  const query = {
    ...{ name: '', resourceVersion: '5', resourceVersionMatch: '', fieldSelector: '' },
    ...{ labelSelector, sendInitialEvents: undefined, allowsBookmarks: false },
  } as unknown as WatchQuery;
  let isRefused = false;
  await watchObjects(storage, scope, { query, streaming: 'unknown', selectors: room }, sink).catch(
    (error: unknown) => {
      expect(error).toMatchObject({ code: 429, status: { details: { retryAfterSeconds: 1 } } });
      isRefused = true;
    },
  );
  return {
    isRefused,
    close: () => {
      for (const action of closing) action();
    },
  };
}

async function openMany(room: SelectorRoom, count: number, user: string): Promise<Opened[]> {
  const opened: Opened[] = [];
  for (let i = 0; i < count; i += 1) opened.push(await open(room, longSelector(i), user));
  return opened;
}

const held = (opened: readonly Opened[]): number => opened.filter(({ isRefused }) => !isRefused).length;

test('long selectors that differ have a room, of which a user gets a part', async () => {
  const room = new SelectorRoom(new HandClock());
  const ofOne = await openMany(room, 100, 'one');
  expect(held(ofOne)).toBeGreaterThan(30);
  expect(held(ofOne)).toBeLessThan(70);
  expect(held(await openMany(room, 10, 'other'))).toBe(10);
  for (const { close } of ofOne) close();
  expect(held(await openMany(room, 30, 'one'))).toBe(30);
});

test('equal ones are kept once, until the last watch ends', async () => {
  const room = new SelectorRoom(new HandClock());
  const first = await open(room, longSelector(0));
  const ofOne = room.inUse;
  const others: Opened[] = [];
  for (let i = 0; i < 1_000; i += 1) others.push(await open(room, longSelector(0), 'other'));
  expect([held(others), room.inUse]).toEqual([1_000, ofOne]);
  first.close();
  expect(room.inUse).toBe(ofOne);
  for (const { close } of others) close();
  expect(room.inUse).toBe(0);
  // Neither user has less for it, nor more.
  const again = await openMany(room, 100, 'u');
  for (const { close } of again) close();
  expect(held(await openMany(room, 100, 'other'))).toBe(held(again));
});

test('usual ones take no room', async () => {
  const room = new SelectorRoom(new HandClock());
  await open(room, 'app=web,tier in (a,b,c),!old');
  expect(room.inUse).toBe(0);
});

test.each<[string, (i: number) => string]>([
  ['presence', (i) => i.toString(36)],
  ['absence', (i) => `!${i.toString(36)}`],
  ['an empty value', (i) => `${i.toString(36)}=`],
  ['a value', (i) => `${i.toString(36)}=${i.toString(36)}`],
  ['another value', (i) => `${i.toString(36)}!=a`],
  ['a set', (i) => `${i.toString(36)} in (a)`],
  ['sets of two', (i) => `${i.toString(36)} notin (a,b)`],
  ['a number', (i) => `${i.toString(36)}>1`],
  ['one label', (i) => `a!=${i.toString(36)}`],
])('requirements of %s take no more than is counted', (_what, term) => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const kept = [compileSelection(resource, longSelector(0, term), '')];
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const count = 20;
  for (let i = 1; i <= count; i += 1) kept.push(compileSelection(resource, longSelector(i, term), ''));
  collectGarbage();
  const each = (process.memoryUsage().heapUsed - before) / count;
  expect(each).toBeLessThan(1.15 * (kept[0]?.bytes ?? 0));
  expect(each).toBeGreaterThan(10_000);
});
