/** Large objects that are selected by a field: they are parsed for it, in many turns. */
import { performance } from 'node:perf_hooks';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { listObjects } from '../../../src/registry/read/get-list.ts';
import type { RequestScope, WatchQuery, WatchSink } from '../../../src/registry/types.ts';
import { watchObjects } from '../../../src/registry/watch/watch-objects.ts';
import type {
  CollectionSnapshot,
  Entry,
  Storage,
  StoredEvent,
  WatchSubscriber,
} from '../../../src/storage/types.ts';
import { StorageError } from '../../../src/storage/types.ts';
import { realCatalogue } from '../../support/catalogue.ts';

const resource = realCatalogue(namingProfiles.orch).catalogue.resource('', 'v1', 'pods');
const query = {
  resourceVersion: '',
  resourceVersionMatch: '',
  fieldSelector: 'spec.nodeName=n',
  labelSelector: '',
};

/** As those of custom resources that have changed. */
const converted = {
  ...resource,
  conversion: {
    stored: {
      known: (entry: Entry) => entry,
      decode: (entries: readonly Entry[]) => Promise.resolve(entries),
      decodeFirst: (entries: readonly Entry[]) => Promise.resolve(entries.slice(0, 1)),
    },
  },
} as unknown as typeof resource;

function entryOf(nodeName: string, members: string, modRevision = 1): Entry {
  const text = `{"metadata":{"name":"${nodeName}"},"spec":{"nodeName":"${nodeName}"${members}}}`;
  const key = `x/${nodeName}`;
  return { collection: 'core/pods', key, modRevision, bytes: Buffer.from(text), memo: undefined };
}

/** Takes tens of milliseconds to parse. */
const long = `,"x":[${'{},'.repeat(500_000)}0]`;

/** Large pods on two nodes. */
function pods(): Entry[] {
  return ['n', 'm'].map((nodeName) => entryOf(nodeName, long));
}

function snapshotOf(all: readonly Entry[]): CollectionSnapshot {
  return { revision: 1, entries: () => all, having: () => undefined } as unknown as CollectionSnapshot;
}

function scope(of = resource): RequestScope {
  const { signal } = new AbortController();
  return { resource: of, namespace: 'x', signal, user: { name: 'ann' } } as unknown as RequestScope;
}

async function keysOfList(all: readonly Entry[], of = resource): Promise<string[]> {
  const storage: Partial<Storage> = { snapshot: () => Promise.resolve(snapshotOf(all)) };
  const { entries } = await listObjects(storage as Storage, scope(of), { ...query, continue: '', limit: 0 });
  return Array.from(entries, ({ key }) => key);
}

/** Forty thousand labels. */
function labelled(name: string, modRevision = 1): Entry {
  const labels = Array.from({ length: 40_000 }, (_none, i) => `"l${String(i)}":"${name}"`).join(',');
  const text = `{"metadata":{"name":"${name}","labels":{${labels}}}}`;
  const bytes = Buffer.from(text);
  return { collection: 'core/pods', key: `x/${name}`, modRevision, bytes, memo: undefined };
}

interface Watched {
  readonly subscriber: WatchSubscriber;
  /** What its client gets, in order: items and bookmarks. */
  readonly shown: string[];
  /** Resolves at its end. */
  readonly end: Promise<unknown>;
}

/** A watch that gets what its subscriber is given. */
async function watch(of = resource, selectors: Partial<WatchQuery> = {}): Promise<Watched> {
  const given = Promise.withResolvers<WatchSubscriber>();
  const storage: Partial<Storage> = {
    watch: (_options, subscriber) => {
      given.resolve(subscriber);
      subscriber.onEstablished();
      return { close: () => undefined };
    },
  };
  const shown: string[] = [];
  const { promise: end, resolve } = Promise.withResolvers<unknown>();
  const sink: WatchSink = {
    onItems: (items) => shown.push(...items.map(({ type, event }) => `${type} ${event.key}`)),
    onBookmark: (revision) => shown.push(String(revision)),
    onError: resolve,
    ready: () => Promise.resolve(),
  };
  const asked = { ...query, name: '', allowWatchBookmarks: false, ...selectors } as unknown as WatchQuery;
  await watchObjects(storage as Storage, scope(of), { query: asked, streaming: 'unknown' }, sink);
  return { subscriber: await given.promise, shown, end };
}

async function keysOfState(all: readonly Entry[], of = resource): Promise<string[]> {
  const { subscriber, shown } = await watch(of);
  subscriber.onInitial(snapshotOf(all));
  await subscriber.ready();
  return keysIn(shown);
}

async function keysOfChanges(all: readonly Entry[], of = resource): Promise<string[]> {
  const { subscriber, shown } = await watch(of);
  for (const entry of all) subscriber.onEvents([put(entry)]);
  await subscriber.ready();
  return keysIn(shown);
}

function put(entry: Entry, previous?: Entry): StoredEvent {
  const { collection, key, modRevision: revision } = entry;
  return { type: 'put', revision, collection, key, entry, previous };
}

function keysIn(shown: readonly string[]): string[] {
  return shown.flatMap((one) => one.split(' ').slice(1));
}

const turns = (): number => performance.nodeTiming.uvMetricsInfo.loopCount;

describe.each([
  ['as stored', resource],
  ['converted', converted],
])('%s', (_name, of) => {
  test.each([keysOfList, keysOfState, keysOfChanges])('%o', async (keysOf) => {
    const all = pods();
    const before = turns();
    // What one has read, others that begin meanwhile share.
    expect(await Promise.all([keysOf(all, of), keysOf(all, of)])).toEqual([['x/n'], ['x/n']]);
    // A slice takes three milliseconds, to parse both tens of them.
    expect(turns() - before).toBeGreaterThan(10);
  });
});

describe('labels', () => {
  /** Far more than are looked for in the text. */
  const many = `l1=n,${Array.from({ length: 20 }, (_none, i) => `!m${String(i)}`).join(',')}`;

  async function keysOfChange(entry: Entry, labelSelector: string): Promise<string[]> {
    const { subscriber, shown } = await watch(resource, { labelSelector, fieldSelector: '' });
    subscriber.onEvents([put(entry)]);
    await subscriber.ready();
    return keysIn(shown);
  }

  test.each([
    ['of a long selector', () => many],
    // After so many looks at the text it is parsed.
    ['of many watches', (i: number) => `l1=n,!m${String(i)}`],
  ])('%s are parsed in slices', async (_name, selectorOf) => {
    const all = [labelled('n'), labelled('m')] as const;
    const before = turns();
    for (const [at, expected] of [['x/n'], []].entries()) {
      const shown: string[][] = [];
      for (let i = 0; i < 12; i += 1) shown.push(await keysOfChange(all[at] as Entry, selectorOf(i)));
      expect(shown).toEqual(shown.map(() => expected));
    }
    expect(turns() - before).toBeGreaterThan(10);
  });
});

describe('changes', () => {
  test('stay in order with what follows them', async () => {
    const { subscriber, shown, end } = await watch();
    const [large, other] = [entryOf('n', long, 2), entryOf('m', '', 3)];
    subscriber.onEvents([put(large)]);
    subscriber.onEvents([put({ ...other, key: large.key }, large)]);
    subscriber.onProgress(3);
    subscriber.onEvents([put(entryOf('n', '', 4))]);
    subscriber.onProgress(4);
    subscriber.onEnd(new StorageError('compacted', 'history is lost'));
    expect(shown).toEqual([]);
    await end;
    expect(shown).toEqual(['ADDED x/n', 'DELETED x/n', '3', 'ADDED x/n', '4']);
  });

  test('of small objects are shown at once, and so are those of large ones that were read', async () => {
    const [first, second] = [await watch(), await watch()];
    const [large] = pods() as [Entry];
    first.subscriber.onEvents([put(large)]);
    await first.subscriber.ready();
    second.subscriber.onEvents([put(large)]);
    second.subscriber.onEvents([put(entryOf('n', ''))]);
    expect(second.shown).toEqual(['ADDED x/n', 'ADDED x/n']);
  });

  test('that come faster than they are read end the watch', async () => {
    const { subscriber, shown, end } = await watch();
    for (let i = 0; i < 12; i += 1) subscriber.onEvents([put(entryOf('n', long, i + 1))]);
    expect(await end).toMatchObject({ status: { code: 503 } });
    await subscriber.ready();
    expect(shown.length).toBeLessThan(12);
  });

  test('that cannot be read end the watch', async () => {
    const { subscriber, end } = await watch();
    subscriber.onEvents([put(entryOf('n', `${long},`))]);
    expect(await end).toMatchObject({ name: 'DecodeError' });
  });
});
