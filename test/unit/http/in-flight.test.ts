import { always, openRoom, type HttpRoom } from '../../support/http/room.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

let folder: TempFolder;
let room: HttpRoom;
let release: () => void;

beforeAll(async () => {
  folder = await makeTempFolder('in-flight');
});
afterAll(() => folder.remove());
beforeEach(async () => {
  room = await openRoom(folder.path, { inFlight: { readOnly: 2, mutating: 1 } });
  room.verbs.entries = [podEntry('a', 1)];
  const held = new Promise<void>((resolve) => (release = resolve));
  room.verbs.before = () => held;
});
afterEach(() => room.close());

const pods = '/api/v1/namespaces/x/pods';
const get = () => room.ask(`${pods}/a`);
const create = () =>
  room.ask(pods, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b"}}',
  });
const arrived = (count: number): Promise<unknown> =>
  waitFor(`${String(count)} calls`, () => room.verbs.calls.length === count);

test('beyond the limit of its kind a request is 429 with Retry-After', async () => {
  const running = [get(), get(), create()];
  await arrived(3);
  for (const ask of [get, create]) {
    const refused = await ask();
    expect(refused.code).toBe(429);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.json()).toMatchObject({
      kind: 'Status',
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 1 },
    });
  }
  release();
  expect((await Promise.all(running)).map(({ code }) => code)).toEqual([200, 200, 201]);
  expect((await get()).code).toBe(200);
  const text = await room.metrics.text();
  expect(text).toContain('apiserver_dropped_requests_total{request_kind="readOnly"} 1');
  expect(text).toContain('apiserver_dropped_requests_total{request_kind="mutating"} 1');
});

test('a kind that is full does not refuse the other', async () => {
  const running = create();
  await arrived(1);
  const read = get();
  await arrived(2);
  release();
  expect((await Promise.all([running, read])).map(({ code }) => code)).toEqual([201, 200]);
});

test('health is answered and masters are served when all places are taken', async () => {
  const running = [get(), get()];
  await arrived(2);
  expect((await room.ask('/livez')).code).toBe(200);
  room.authenticate = always('root', 'system:masters');
  const third = get();
  await arrived(3);
  release();
  expect((await third).code).toBe(200);
  await Promise.all(running);
});

test('watches take no place, and refused requests give theirs back', async () => {
  const watches = [1, 2, 3].map(() => room.open(`${pods}?watch=1`));
  await arrived(3);
  const reads = [get(), get()];
  await arrived(5);
  release();
  expect((await Promise.all(reads)).map(({ code }) => code)).toEqual([200, 200]);
  for (const stream of await Promise.all(watches)) stream.destroy();
  room.authorize = () => Promise.resolve({ decision: 'deny', reason: '' });
  for (let i = 0; i < 5; i++) expect((await get()).code).toBe(403);
});
