import { connect } from 'node:tls';
import { defaultWatchLimits, OpenWatches } from '../../../src/http/watch/open-watches.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { badRequest, expired } from '../../../src/meta/status.ts';
import { realCatalogue } from '../../support/catalogue.ts';
import type { FakeWatch } from '../../support/http/fake-verbs.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import { FrameReader } from '../../support/http/frame-reader.ts';
import type { Ask, HttpRoom } from '../../support/http/room.ts';
import { openRoom } from '../../support/http/room.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const pods = '/api/v1/namespaces/x/pods';

describe('watch over HTTP', () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let room: HttpRoom;

  beforeAll(async () => {
    folder = await makeTempFolder('watch');
    room = await openRoom(folder.path, {
      watchLimits: {
        ...defaultWatchLimits,
        maxBufferedBytes: 1024 * 1024,
        defaultTimeoutMs: [60_000, 60_000],
        bookmarkMs: 0,
        lastBookmarkMs: 2_000,
      },
    });
  });

  afterAll(async () => {
    await room.close();
    await folder.remove();
  });

  beforeEach(() => {
    room.verbs.watches.length = 0;
    room.verbs.error = undefined;
    room.verbs.before = () => Promise.resolve();
  });

  async function watch(query: string, ask?: Ask): Promise<{ reader: FrameReader; fake: FakeWatch }> {
    const res = await room.open(`${pods}?watch=1${query}`, ask);
    expect(res.statusCode).toBe(200);
    const [fake] = room.verbs.watches;
    if (!fake) throw new Error('no watch was opened');
    return { reader: new FrameReader(res), fake };
  }

  /** A watch with the usual limits, of a server whose clock the test moves. */
  async function onOwnClock(
    query: string,
    test: (watch: { reader: FrameReader; fake: FakeWatch; clock: HandClock }) => Promise<void>,
  ): Promise<void> {
    const own = await makeTempFolder('watch-clock');
    const clock = new HandClock();
    const clocked = await openRoom(own.path, { clock, watchLimits: defaultWatchLimits });
    try {
      const reader = new FrameReader(await clocked.open(`${pods}?watch=1${query}`));
      const [fake] = clocked.verbs.watches;
      if (!fake) throw new Error('no watch was opened');
      await test({ reader, fake, clock });
      reader.res.destroy();
    } finally {
      await clocked.close();
      await own.remove();
    }
  }

  test('the head comes at once, then one frame per event in order', async () => {
    const { reader, fake } = await watch('&resourceVersion=5&labelSelector=a');
    expect(reader.res.headers['transfer-encoding']).toBe('chunked');
    expect(reader.res.headers['content-type']).toBe('application/json');
    expect(fake.query).toMatchObject({
      resourceVersion: '5',
      labelSelector: 'a',
      allowWatchBookmarks: false,
    });
    fake.sink.onItems([
      { type: 'ADDED', event: podEntry('a', 6) },
      { type: 'MODIFIED', event: podEntry('a', 7) },
    ]);
    fake.sink.onItems([{ type: 'DELETED', event: podEntry('a', 8) }]);
    const seen = [await reader.next(), await reader.next(), await reader.next()];
    expect(seen.map((f) => [f?.type, f?.object.metadata['resourceVersion']])).toEqual([
      ['ADDED', '6'],
      ['MODIFIED', '7'],
      ['DELETED', '8'],
    ]);
    reader.res.destroy();
    await waitFor('the watch to be closed', () => fake.closed);
  });

  test('older watch paths watch, one object too', async () => {
    const res = await room.open('/api/v1/watch/namespaces/x/pods/a');
    expect(res.statusCode).toBe(200);
    expect(room.verbs.watches[0]?.query.name).toBe('a');
    res.destroy();
  });

  async function made(): Promise<number> {
    const text = await room.metrics.text();
    const line = /^apiserver_watch_frames_encoded_total\{.*kind="Pod".*\} (\d+)$/m.exec(text);
    return Number(line?.[1] ?? 0);
  }

  test('an event is made once for all watches of a form', async () => {
    const before = await made();
    const open = await Promise.all(Array.from({ length: 10 }, () => room.open(`${pods}?watch=1`)));
    const event = podEntry('a', 9);
    for (const { sink } of room.verbs.watches) sink.onItems([{ type: 'ADDED', event }]);
    for (const res of open) {
      expect((await new FrameReader(res).next())?.type).toBe('ADDED');
      res.destroy();
    }
    expect((await made()) - before).toBe(1);
  });

  test('a refusal before the start is an HTTP status', async () => {
    room.verbs.error = expired('too old');
    const answer = await room.ask(`${pods}?watch=1&resourceVersion=1`);
    expect(answer.code).toBe(410);
    expect(answer.json()).toMatchObject({ kind: 'Status', reason: 'Expired' });
  });

  test('of a version that is too old begins where clients cannot read a refusal', async () => {
    const naming = namingProfiles.kubernetes;
    const own = await makeTempFolder('watch-begins');
    const { catalogue, schemas } = realCatalogue(naming);
    const theirs = await openRoom(own.path, { naming, catalogue: () => catalogue, schemas });
    try {
      theirs.verbs.error = expired('too old');
      const res = await theirs.open(`${pods}?watch=1&resourceVersion=1`);
      expect(res.statusCode).toBe(200);
      const reader = new FrameReader(res);
      expect(await reader.next()).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410 } });
      expect(await reader.next()).toBeUndefined();
      theirs.verbs.error = badRequest('other errors');
      expect((await theirs.ask(`${pods}?watch=1`)).code).toBe(400);
    } finally {
      await theirs.close();
      await own.remove();
    }
  });

  test('an error after the start is an ERROR event, and the stream ends behind it', async () => {
    const { reader, fake } = await watch('');
    fake.sink.onError(expired('lost'));
    expect(await reader.next()).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410 } });
    expect(await reader.next()).toBeUndefined();
    expect(fake.closed).toBe(true);
  });

  test('a timeoutSeconds beyond what a timer holds does not end the stream at once', async () => {
    const { reader, fake } = await watch('&timeoutSeconds=99999999999');
    await room.ask(`${pods}/none`);
    fake.sink.onItems([{ type: 'ADDED', event: podEntry('a', 12) }]);
    expect((await reader.next())?.type).toBe('ADDED');
    expect(fake.closed).toBe(false);
    reader.res.destroy();
  });

  test('timeoutSeconds ends the stream cleanly, after a bookmark if requested', async () => {
    const query = '&timeoutSeconds=600&allowWatchBookmarks=true';
    await onOwnClock(query, async ({ reader, fake, clock }) => {
      fake.sink.onItems([{ type: 'ADDED', event: podEntry('a', 12) }]);
      expect((await reader.next())?.type).toBe('ADDED');
      clock.advance(600_000 - defaultWatchLimits.lastBookmarkMs);
      const bookmark = await reader.next();
      expect(bookmark).toMatchObject({ type: 'BOOKMARK', object: { kind: 'Pod', apiVersion: 'v1' } });
      expect(bookmark?.object.metadata['resourceVersion']).toBe('12');
      clock.advance(defaultWatchLimits.lastBookmarkMs - 1);
      expect(fake.closed).toBe(false);
      clock.advance(1);
      expect(await reader.next()).toBeUndefined();
      expect(fake.closed).toBe(true);
    });
  });

  test('progress becomes bookmarks only if requested', async () => {
    const asked = await watch('&allowWatchBookmarks=1');
    asked.fake.sink.onBookmark(20, false);
    expect(await asked.reader.next()).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: '20' } },
    });
    asked.reader.res.destroy();
    room.verbs.watches.length = 0;
    const silent = await watch('');
    silent.fake.sink.onBookmark(20, false);
    silent.fake.sink.onItems([{ type: 'ADDED', event: podEntry('a', 21) }]);
    expect((await silent.reader.next())?.type).toBe('ADDED');
    silent.reader.res.destroy();
  });

  test('bookmarks of progress come once a minute', async () => {
    expect(defaultWatchLimits.bookmarkMs).toBe(60_000);
    await onOwnClock('&allowWatchBookmarks=1', async ({ reader, fake, clock }) => {
      const progress = { 1: 10, 59: 11, 60: 12, 61: 13, 119: 14, 121: 15 };
      for (const [seconds, revision] of Object.entries(progress)) {
        clock.advance(Number(seconds) * 1_000 - clock.monotonic());
        fake.sink.onBookmark(revision, false);
      }
      const told = [await reader.next(), await reader.next()];
      expect(told.map((frame) => frame?.object.metadata['resourceVersion'])).toEqual(['12', '15']);
    });
  });

  test('initial events are not asked for where the release does not know them', async () => {
    const own = await makeTempFolder('watch-old');
    const old = await openRoom(own.path, { streamingLists: 'unknown' });
    try {
      const res = await old.open(`${pods}?watch=1&resourceVersion=5&sendInitialEvents=true`);
      expect(old.verbs.watches[0]?.query.sendInitialEvents).toBeUndefined();
      res.destroy();
    } finally {
      await old.close();
      await own.remove();
    }
  });

  test('the end of the initial events is marked', async () => {
    const { reader, fake } = await watch(
      '&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan',
    );
    expect(fake.query).toMatchObject({ sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' });
    fake.sink.onBookmark(30, true);
    expect((await reader.next())?.object.metadata).toMatchObject({
      annotations: { 'orch.io/initial-events-end': 'true' },
    });
    reader.res.destroy();
  });

  test('tables and other versions are watched, too', async () => {
    const accept = 'application/json;as=Table;g=meta.orch.io;v=v1';
    const { reader, fake } = await watch('&allowWatchBookmarks=1', { headers: { accept } });
    fake.sink.onItems([{ type: 'ADDED', event: podEntry('a', 6) }]);
    expect(await reader.next()).toMatchObject({
      object: { kind: 'Table', rows: [{ cells: ['a', '<invalid>'] }] },
    });
    fake.sink.onBookmark(7, false);
    expect(await reader.next()).toMatchObject({ type: 'BOOKMARK', object: { kind: 'Table', rows: [] } });
    reader.res.destroy();
  });

  test.each(['false', 'true'])('the first table of a watch alone has columns: pretty=%s', async (pretty) => {
    const accept = 'application/json;as=Table;g=meta.orch.io;v=v1';
    const open = (): ReturnType<typeof watch> => {
      room.verbs.watches.length = 0;
      return watch(`&allowWatchBookmarks=1&pretty=${pretty}`, { headers: { accept } });
    };
    const [early, late] = [await open(), await open()];
    const items = [6, 7].map((revision) => ({ type: 'MODIFIED', event: podEntry('a', revision) }) as const);
    early.fake.sink.onItems(items);
    early.fake.sink.onBookmark(8, false);
    late.fake.sink.onBookmark(6, false);
    late.fake.sink.onItems(items.slice(1));
    for (const { reader } of [early, late]) {
      expect((await reader.next())?.object.columnDefinitions).toMatchObject([{ name: 'Name' }, {}]);
      const next = await reader.next();
      expect(next).toMatchObject({ type: 'MODIFIED', object: { metadata: { resourceVersion: '7' } } });
      expect(next?.object).toMatchObject({ columnDefinitions: null, rows: [{ cells: ['a', '<invalid>'] }] });
    }
    expect((await early.reader.next())?.object.columnDefinitions).toBeNull();
    for (const { reader } of [early, late]) reader.res.destroy();
  });

  test('watches share the table of their first event, and the tables of later ones', async () => {
    const headers = { accept: 'application/json;as=Table;g=meta.orch.io;v=v1' };
    const before = await made();
    const open = await Promise.all(
      Array.from({ length: 10 }, () => room.open(`${pods}?watch=1`, { headers })),
    );
    const events = [podEntry('b', 8), podEntry('b', 9)].map(
      (event) => ({ type: 'MODIFIED', event }) as const,
    );
    const [, second] = events;
    room.verbs.watches.forEach(({ sink }, i) => {
      sink.onItems(i < 5 && second ? [second] : events);
    });
    for (const res of open) {
      expect((await new FrameReader(res).next())?.object.columnDefinitions).toHaveLength(2);
      res.destroy();
    }
    expect((await made()) - before).toBe(3);
  });

  test('a client that does not read is cut off, others are not held up', async () => {
    const { reader, fake } = await watch('');
    room.verbs.watches.length = 0;
    const slow = connect({ host: '127.0.0.1', port: room.server.port, ca: room.authority.ca });
    slow.on('error', () => undefined);
    slow.pause();
    slow.write(`GET ${pods}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n`);
    const stuck = await waitFor('the slow watch', () => room.verbs.watches[0]);
    let revision = 100;
    await waitFor(
      'the slow watch to be ended',
      () => {
        const event = podEntry('big', ++revision, 200_000);
        stuck.sink.onItems([{ type: 'MODIFIED', event }]);
        return stuck.closed;
      },
      { interval: 1 },
    );
    expect(await room.metrics.text()).toContain('apiserver_terminated_watchers_total{resource="pods"} 1');
    const end = 'apiserver_watch_ends_total{resource="pods",reason="slow"} 1';
    await waitFor('the reason', async () => (await room.metrics.text()).includes(end));
    fake.sink.onItems([{ type: 'ADDED', event: podEntry('a', 6) }]);
    expect((await reader.next())?.type).toBe('ADDED');
    reader.res.destroy();
    slow.destroy();
  });

  test('many watches share what may wait', () => {
    const limits = {
      ...defaultWatchLimits,
      maxBufferedBytes: 800,
      totalBufferedBytes: 1_000,
      minBufferedBytes: 100,
    };
    const watches = new OpenWatches();
    const shareOf = (count: number): number => {
      while (watches.size < count)
        watches.enter({ end: () => undefined }, {} as Parameters<OpenWatches['enter']>[1]);
      return watches.share(limits);
    };
    expect([1, 2, 5, 50].map(shareOf)).toEqual([800, 500, 200, 100]);
  });

  test('clients that do not read are cut off at their share', async () => {
    const own = await makeTempFolder('watch-share');
    const limits = {
      ...{ ...defaultWatchLimits, burstMs: 100, maxBufferedBytes: 2 ** 30 },
      ...{ totalBufferedBytes: 64 * 1024, minBufferedBytes: 1_024 },
    };
    const shared = await openRoom(own.path, { watchLimits: limits });
    const open = await Promise.all(Array.from({ length: 8 }, () => shared.open(`${pods}?watch=1`)));
    const stuck = shared.verbs.watches;
    let revision = 100;
    await waitFor(
      'all to be ended',
      () => {
        const event = podEntry('small', ++revision, 4_000);
        for (const { sink } of stuck) sink.onItems([{ type: 'MODIFIED', event }]);
        return stuck.every((watch) => watch.closed);
      },
      { interval: 1 },
    );
    expect(await shared.metrics.text()).toContain('apiserver_terminated_watchers_total{resource="pods"} 8');
    for (const res of open) res.destroy();
    await shared.close();
    await own.remove();
  });

  test('ready waits for a client that is behind', async () => {
    const res = await room.open(`${pods}?watch=1`);
    const [fake] = room.verbs.watches;
    if (!fake) throw new Error('no watch');
    await fake.sink.ready();
    let isBehind = false;
    for (let i = 1; i < 200 && !isBehind && !fake.closed; i++) {
      fake.sink.onItems([{ type: 'ADDED', event: podEntry('big', i, 100_000) }]);
      isBehind = await Promise.race([fake.sink.ready().then(() => false), Promise.resolve(true)]);
    }
    expect(isBehind).toBe(true);
    res.resume();
    await within('the client to catch up', 3_000, fake.sink.ready());
    res.destroy();
  });

  test('watches are gauged while they are open', async () => {
    const { reader } = await watch('');
    expect(await room.metrics.text()).toMatch(
      /apiserver_longrunning_gauge\{verb="WATCH".*resource="pods".*\} [1-9]/,
    );
    reader.res.destroy();
    await waitFor('the gauge to fall', async () =>
      /apiserver_registered_watchers\{group="",version="v1",kind="Pod"\} 0/.test(await room.metrics.text()),
    );
  });
});
