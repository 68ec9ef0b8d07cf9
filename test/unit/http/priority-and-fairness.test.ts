import { request as httpsRequest } from 'node:https';
import type { FlowConfiguration } from '../../../src/flowcontrol/flow-configuration.ts';
import { WatchCounts } from '../../../src/flowcontrol/watch-counts.ts';
import type { FlowControl } from '../../../src/http/filters/priority-and-fairness.ts';
import { always, openRoom, type HttpRoom } from '../../support/http/room.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import type { RequestInfo } from '../../../src/meta/request-info.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';
import { everythingOf, level, makeFlows, schema, type TestFlows } from '../../support/flow-control.ts';

let folder: TempFolder;
let room: HttpRoom;
let flows: TestFlows;
let release: () => void;
let asked: string[];
/** What requests cost; undefined: release 1.21. */
let work: FlowControl['work'];

beforeAll(async () => {
  folder = await makeTempFolder('fairness');
});
afterAll(() => folder.remove());
beforeEach(async () => {
  flows = makeFlows(2);
  const { configuration } = flows;
  use(configuration, { queues: 1, handSize: 1, queueLengthLimit: 2 });
  asked = [];
  work = undefined;
  const flowControl = {
    maxWaitMs: 2_000,
    get work() {
      return work;
    },
    flowOf: ((who, info) => {
      asked.push(info.path);
      return configuration.flowOf(who, info);
    }) as FlowConfiguration['flowOf'],
  };
  room = await openRoom(folder.path, { flowControl, requestTimeoutMs: 1_000 });
  room.verbs.entries = [podEntry('a', 1)];
  const held = new Promise<void>((resolve) => (release = resolve));
  room.verbs.before = () => held;
});
afterEach(() => room.close());

function use(configuration: FlowConfiguration, queuing?: object): void {
  const all = everythingOf({ kind: 'User', user: { name: '*' } });
  void configuration.use({
    levels: [level('own', 1_000_000, queuing)],
    schemas: [schema('own', 'own', 5, all)],
  });
}

const pods = '/api/v1/namespaces/x/pods';
const get = () => room.ask(`${pods}/a`);
const arrived = (count: number): Promise<unknown> =>
  waitFor(`${String(count)} calls`, () => room.verbs.calls.length === count);
const figure = async (name: string): Promise<string | undefined> =>
  new RegExp(`flowcontrol_${name}\\{[^}]*\\} (\\S+)`).exec(await flows.metrics.text())?.[1];
const inQueue = (count: number): Promise<unknown> =>
  waitFor(
    `${String(count)} waiting`,
    async () => (await figure('current_inqueue_requests')) === String(count),
  );

test('without a free seat requests are queued; with a full queue they are 429 with Retry-After', async () => {
  const running = [get(), get()];
  await arrived(2);
  const waiting = [get(), get()];
  await inQueue(2);
  const refused = await get();
  expect(refused.code).toBe(429);
  expect(refused.headers).toMatchObject({
    'retry-after': '1',
    'x-test-pf-flowschema-uid': 'uid-own',
    'x-test-pf-prioritylevel-uid': 'uid-own',
  });
  expect(refused.json()).toMatchObject({ reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } });
  release();
  const answers = await Promise.all([...running, ...waiting]);
  expect(answers.map(({ code }) => code)).toEqual([200, 200, 200, 200]);
  for (const { headers } of answers) expect(headers['x-test-pf-flowschema-uid']).toBe('uid-own');
  const text = await room.metrics.text();
  expect(text).toContain('apiserver_dropped_requests_total{request_kind="readOnly"} 1');
  await waitFor('all seats to be free', async () => (await figure('current_executing_requests')) === '0');
});

test('a client that goes away waits no longer', async () => {
  const running = [get(), get()];
  await arrived(2);
  const { port } = room.server;
  const req = httpsRequest({ host: '127.0.0.1', port, path: pods, ca: room.authority.ca, agent: false });
  req.on('error', () => undefined).end();
  await inQueue(1);
  req.destroy();
  await inQueue(0);
  release();
  await Promise.all(running);
  expect(room.verbs.calls).toHaveLength(2);
});

test('a wait ends with the time of the request, and does not serve it afterwards', async () => {
  const running = [get(), get()];
  await arrived(2);
  const late = await room.ask(`${pods}/a?timeout=300ms`);
  expect(late.code).toBe(504);
  await inQueue(0);
  release();
  await Promise.all(running);
  expect(room.verbs.calls).toHaveLength(2);
});

test('health and masters are served when all seats are taken; watches take none', async () => {
  use(flows.configuration);
  const running = [get(), get()];
  await arrived(2);
  expect((await get()).code).toBe(429);
  expect((await room.ask('/livez')).code).toBe(200);
  const watch = room.open(`${pods}?watch=1`);
  await arrived(3);
  expect(asked.filter((path) => path === pods)).toEqual([]);
  room.authenticate = always('root', 'system:masters');
  const third = get();
  await arrived(4);
  release();
  expect((await third).code).toBe(200);
  (await watch).destroy();
  await Promise.all(running);
});

test('requests that are refused later give their seats back', async () => {
  room.authorize = () => Promise.resolve({ decision: 'deny', reason: '' });
  for (let i = 0; i < 6; i++) expect((await get()).code).toBe(403);
  expect(await figure('dispatched_requests_total')).toBe('6');
  await waitFor('all seats to be free', async () => (await figure('current_executing_requests')) === '0');
});

describe('when requests cost by their size', () => {
  const watch = `${pods}?watch=1`;
  const none = { seats: 1, finalSeats: 0, extraMs: 0 };
  beforeEach(() => {
    work = { watches: new WatchCounts(), estimate: () => none };
    use(flows.configuration);
    release();
  });

  test('a watch takes seats until it has its state, and counts for writes while it lasts', async () => {
    const opened = room.open(watch);
    await arrived(1);
    expect(await figure('current_executing_requests')).toBe('1');
    room.verbs.watches[0]!.sink.onItems([{ type: 'ADDED', event: podEntry('a', 1) }], true);
    const stream = await opened;
    expect(stream.headers['x-test-pf-flowschema-uid']).toBe('uid-own');
    expect(await figure('current_executing_requests')).toBe('1');
    const info = { apiGroup: '', resource: 'pods', namespace: 'x', name: 'a' } as RequestInfo;
    expect(work!.watches.interestedIn(info)).toBe(1);
    room.verbs.watches[0]!.sink.onBookmark(5, false);
    expect(await figure('current_executing_requests')).toBe('0');
    stream.destroy();
    await waitFor('the watch to be forgotten', () => work!.watches.interestedIn(info) === 0);
    expect(await figure('current_executing_requests')).toBe('0');
  });

  test('a watch that begins at a version takes a seat no longer than it is established', async () => {
    const stream = await room.open(`${watch}&resourceVersion=5`);
    await waitFor('the seat', async () => (await figure('current_executing_requests')) === '0');
    stream.destroy();
  });

  test('a watch whose client does not read its state gives its seat back', async () => {
    room.verbs.entries = [];
    const stream = room.open(watch);
    await arrived(1);
    const { sink } = room.verbs.watches[0]!;
    const large = podEntry('a', 1, 1024 * 1024);
    for (let i = 0; i < 40; i += 1) sink.onItems([{ type: 'ADDED', event: large }], true);
    (await stream).pause();
    expect(await figure('current_executing_requests')).toBe('1');
    void sink.ready();
    await waitFor('the seat', async () => (await figure('current_executing_requests')) === '0');
    (await stream).destroy();
  });

  test('without a seat a watch is refused', async () => {
    const first = [room.open(watch), room.open(watch)];
    await arrived(2);
    expect((await room.ask(watch)).code).toBe(429);
    for (const { sink } of room.verbs.watches) sink.onBookmark(1, false);
    for (const stream of await Promise.all(first)) stream.destroy();
  });

  test('a request that needs all seats waits for them', async () => {
    use(flows.configuration, { queues: 1, handSize: 1, queueLengthLimit: 2 });
    work = {
      watches: new WatchCounts(),
      estimate: ({ verb }) => ({ ...none, seats: verb === 'list' ? 2 : 1 }),
    };
    const held = new Promise<void>((resolve) => (release = resolve));
    room.verbs.before = () => held;
    const one = get();
    await arrived(1);
    const list = room.ask(pods);
    await inQueue(1);
    release();
    expect((await one).code).toBe(200);
    expect((await list).code).toBe(200);
  });
});
