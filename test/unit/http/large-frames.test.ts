/** Frames of large objects: made in another thread, in their order, and one after another where they are many. */
import { OutgoingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { largeEntryBytes, type LargeForms } from '../../../src/http/representation/large-forms.ts';
import { defaultWatchLimits, type WatchLimits } from '../../../src/http/watch/open-watches.ts';
import { expired, tooManyRequests } from '../../../src/meta/status.ts';
import type { WatchItem } from '../../../src/registry/types.ts';
import { catalogue, Elsewhere, entry, naming, schemas } from '../../support/http/large-objects.ts';
import type { FakeWatch } from '../../support/http/fake-verbs.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { TurnCounts } from '../../support/turn-counts.ts';
import { waitFor } from '../../support/wait-for.ts';

const json = 'application/json';
const meta = 'g=meta.orch.io;v=v1';

interface Asked {
  readonly accept: string;
  readonly version?: string;
  readonly query?: string;
  /** What it makes of an object is cached, so that a frame is written from it here. */
  readonly isCached?: boolean;
}

const forms: readonly Asked[] = [
  { accept: `${json};as=Table;${meta}`, isCached: true },
  { accept: `${json};as=Table;${meta}`, query: '&pretty=true&includeObject=Object' },
  { accept: `application/yaml;as=Table;${meta}` },
  { accept: json, query: '&pretty=true' },
  { accept: json, version: 'v1beta1', isCached: true },
  { accept: `${json};as=Table;${meta}`, version: 'v1beta1', query: '&includeObject=Object' },
  { accept: 'application/yaml' },
  { accept: 'application/vnd.orch.protobuf', isCached: true },
];

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let room: HttpRoom;
/** Makes everything itself. */
let alone: HttpRoom;
let largeForms: LargeForms;
const limits: { -readonly [K in keyof WatchLimits]: WatchLimits[K] } = { ...defaultWatchLimits };

beforeAll(async () => {
  folder = await makeTempFolder('large-frames');
  const deps = { naming, catalogue: () => catalogue, schemas, watchLimits: limits };
  alone = await openRoom(folder.path, deps);
  room = await openRoom(folder.path, {
    ...deps,
    largeForms: { make: (...args) => largeForms.make(...args) },
  });
});

afterAll(async () => {
  await Promise.all([room.close(), alone.close()]);
  await folder.remove();
});

beforeEach(() => {
  room.verbs.watches.length = 0;
  Object.assign(limits, defaultWatchLimits);
});

interface Opened {
  readonly sink: FakeWatch['sink'];
  readonly fake: FakeWatch;
  /** All that comes until the end; undefined if the stream breaks off. */
  readonly body: Promise<Buffer | undefined>;
}

async function open({ accept, version = 'v1', query = '' }: Asked, at = room): Promise<Opened> {
  const path = `/apis/batch/${version}/namespaces/ns/cronjobs?watch=1&allowWatchBookmarks=true${query}`;
  const res = await at.open(path, { headers: { accept } });
  expect(res.statusCode).toBe(200);
  const fake = at.verbs.watches.at(-1);
  if (!fake) throw new Error('no watch was opened');
  return { sink: fake.sink, fake, body: buffer(res).catch(() => undefined) };
}

function items(): WatchItem[] {
  return [
    { type: 'ADDED', event: entry('a', 10, 7) },
    { type: 'ADDED', event: entry('b', largeEntryBytes, 8) },
    { type: 'MODIFIED', event: entry('a', 10, 9) },
    { type: 'MODIFIED', event: entry('b', largeEntryBytes, 10) },
    { type: 'DELETED', event: entry('b', largeEntryBytes, 11) },
    { type: 'DELETED', event: entry('a', 10, 12) },
  ];
}

/** A watch that is told all items, a bookmark and its end. */
async function told(asked: Asked, at = room): Promise<Buffer | undefined> {
  const { sink, body } = await open(asked, at);
  const [first, ...rest] = items();
  if (first) sink.onItems([first], true);
  sink.onItems(rest.slice(0, 2));
  for (const item of rest.slice(2)) sink.onItems([item]);
  sink.onBookmark(13, true);
  sink.onError(expired('too old'));
  return body;
}

/** A thread that gets nothing done. */
const stuck: LargeForms = { make: () => new Promise(() => undefined) };
const yaml = { accept: 'application/yaml' };
const large = (revision: number): WatchItem => ({
  type: 'MODIFIED',
  event: entry('b', largeEntryBytes, revision),
});

async function terminated(): Promise<number> {
  const line = /^apiserver_terminated_watchers_total\{resource="cronjobs"\} (\d+)$/m;
  return Number(line.exec(await room.metrics.text())?.[1] ?? 0);
}

test.each(forms)('a watch as %o', async (asked) => {
  const elsewhere = new Elsewhere();
  largeForms = elsewhere;
  const expected = await told(asked, alone);
  const got = await told(asked);
  expect(got?.toString('latin1')).toBe(expected?.toString('latin1'));
  expect(elsewhere.orders).toHaveLength(3);
  const kept = elsewhere.orders.filter(({ part }) => part === 'kept');
  expect(kept).toHaveLength(asked.isCached === true ? 3 : 0);
});

test('what several watches show at once is made once', async () => {
  const elsewhere = new Elsewhere();
  largeForms = elsewhere;
  for (const asked of forms) {
    const watches = [await open(asked), await open(asked), await open(asked)];
    const item = large(20);
    for (const { sink } of watches) sink.onItems([item]);
    for (const { sink } of watches) sink.onError(expired('too old'));
    const [first, ...others] = await Promise.all(watches.map(({ body }) => body));
    for (const other of others) expect(other?.equals(first ?? Buffer.alloc(0))).toBe(true);
  }
  expect(elsewhere.orders).toHaveLength(forms.length);
});

test('stored bytes are copied here', async () => {
  const expected = (as: string): ReturnType<typeof told> => told({ accept: `${json}${as}` }, alone);
  largeForms = stuck;
  for (const as of ['', `;as=PartialObjectMetadata;${meta}`])
    expect((await told({ accept: `${json}${as}` }))?.equals((await expected(as)) ?? Buffer.alloc(0))).toBe(
      true,
    );
});

test('ready waits for frames that are made', async () => {
  const made = Promise.withResolvers<Buffer>();
  largeForms = { make: () => made.promise };
  const { sink, body } = await open(yaml);
  sink.onItems([large(20)]);
  let isReady = false;
  const ready = sink.ready().then(() => (isReady = true));
  await room.ask('/livez');
  expect(isReady).toBe(false);
  made.resolve(Buffer.from('---\n'));
  await ready;
  sink.onError(expired('too old'));
  expect((await body)?.toString().startsWith('---\n')).toBe(true);
});

test('a watch whose frame is not made ends like one of a slow client', async () => {
  const before = await terminated();
  largeForms = { make: () => Promise.reject(tooManyRequests('too many', 1)) };
  const refused = await open(yaml);
  refused.sink.onItems([large(20)]);
  expect(await refused.body).toBeUndefined();
  largeForms = stuck;
  limits.maxWaitMs = 20;
  const late = await open(yaml);
  late.sink.onItems([large(20)]);
  expect(await late.body).toBeUndefined();
  await waitFor('both to be closed', () => refused.fake.closed && late.fake.closed);
  expect(await terminated()).toBe(before + 2);
});

test('many that are cut off at once are closed in several turns', async () => {
  const made = Promise.withResolvers<Buffer>();
  largeForms = { make: () => made.promise };
  const all: Opened[] = [];
  for (let i = 0; i < 60; i += 1) all.push(await open(yaml));
  for (const { sink } of all) sink.onItems([large(20)]);
  const turns = new TurnCounts();
  const destroy = jest.spyOn(OutgoingMessage.prototype, 'destroy').mockImplementation(function (
    this: OutgoingMessage,
  ) {
    turns.note();
    this.socket?.destroy();
    return this;
  });
  made.reject(tooManyRequests('too many', 1));
  for (const { body } of all) expect(await body).toBeUndefined();
  destroy.mockRestore();
  turns.end();
  expect(turns.all).toBeGreaterThanOrEqual(60);
  expect(turns.most).toBeLessThanOrEqual(20);
});

test('few large objects wait for their frames', async () => {
  largeForms = stuck;
  limits.maxBufferedBytes = 3 * largeEntryBytes;
  const { sink, fake, body } = await open(yaml);
  let revision = 20;
  for (; !fake.closed && revision < 40; revision += 1) sink.onItems([large(revision)]);
  expect(await body).toBeUndefined();
  expect(revision).toBeLessThan(25);
});

test('an end in time drops what is not made', async () => {
  largeForms = stuck;
  const { sink, body } = await open({ ...yaml, query: '&timeoutSeconds=1' });
  sink.onItems([large(20)]);
  expect(await body).toEqual(Buffer.alloc(0));
});

test('an object beyond the share of a watch reaches clients that read', async () => {
  Object.assign(limits, { totalBufferedBytes: 1_024, minBufferedBytes: 1_024, burstFactor: 2 });
  const watches = [await open({ accept: json }), await open({ accept: json }), await open({ accept: json })];
  for (const revision of [20, 21]) for (const { sink } of watches) sink.onItems([large(revision)]);
  for (const { sink } of watches) sink.onError(expired('too old'));
  for (const body of await Promise.all(watches.map((one) => one.body)))
    expect(body?.toString().match(/"type":"[A-Z]+"/g)).toEqual([
      '"type":"MODIFIED"',
      '"type":"MODIFIED"',
      '"type":"ERROR"',
    ]);
});

test('an end in time completes the frame that a slow client is reading', async () => {
  limits.maxBufferedBytes = 2 ** 30;
  const path = '/apis/batch/v1/namespaces/ns/cronjobs?watch=1&timeoutSeconds=1';
  const res = await room.open(path);
  const fake = room.verbs.watches.at(-1);
  fake?.sink.onItems([{ type: 'ADDED', event: entry('a', 16_000_000, 20) }]);
  fake?.sink.onItems([{ type: 'ADDED', event: entry('b', 16_000_000, 21) }]);
  await waitFor('the watch to be ended', () => fake?.closed);
  const frames = (await buffer(res)).toString().split('\n');
  expect(frames.map((frame) => frame.slice(-2))).toEqual(['}}', '']);
});
