/** Seats of requests that wait for their client are for others. */
import { connect, type TLSSocket } from 'node:tls';
import type { RequestContext } from '../../../src/http/request-context.ts';
import { UnseatedRequests } from '../../../src/http/filters/unseated-requests.ts';
import { everythingOf, level, makeFlows, schema } from '../../support/flow-control.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const pods = '/api/v1/namespaces/x/pods';
let folder: TempFolder;
let room: HttpRoom;
let sockets: TLSSocket[] = [];

beforeAll(async () => {
  folder = await makeTempFolder('unused-seats');
});
afterAll(() => folder.remove());

beforeEach(async () => {
  const { configuration } = makeFlows(2);
  const queuing = { queues: 1, handSize: 1, queueLengthLimit: 10 };
  const all = everythingOf({ kind: 'User', user: { name: '*' } });
  await configuration.use({
    levels: [level('own', 1_000_000, queuing)],
    schemas: [schema('own', 'own', 5, all)],
  });
  const flowOf: typeof configuration.flowOf = (who, info) => configuration.flowOf(who, info);
  room = await openRoom(folder.path, { flowControl: { maxWaitMs: 15_000, flowOf } });
  room.verbs.entries = [podEntry('a', 1)];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await room.close();
});

/** Sends a request whose response nobody reads. */
function send(bytes: string): void {
  const socket = connect({ host: '127.0.0.1', port: room.server.port, ca: room.authority.ca });
  socket.on('error', () => undefined).pause();
  socket.write(bytes);
  sockets.push(socket);
}

const calls = (count: number): Promise<unknown> =>
  waitFor(`${String(count)} calls`, () => room.verbs.calls.length === count);

test('of responses that nobody reads', async () => {
  const pod = podEntry('large', 1, 1024 * 1024);
  room.verbs.entries = Array.from({ length: 64 }, () => pod);
  for (let i = 0; i < 2; i += 1) send(`GET ${pods} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await calls(2);
  expect((await room.ask(`${pods}/large`)).code).toBe(200);
});

test('of bodies that do not come', async () => {
  const head = `POST ${pods} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n`;
  for (let i = 0; i < 2; i += 1) send(`${head}Expect: 100-continue\r\n\r\n`);
  // It is asked for once the request has its seat.
  await waitFor('both to be asked for their body', () => sockets.every(({ bytesRead }) => bytesRead > 0));
  expect((await room.ask(`${pods}/a`)).code).toBe(200);
});

test('requests that are worked on keep theirs', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  room.verbs.before = () => held;
  const running = [room.ask(`${pods}/a`), room.ask(`${pods}/a`)];
  await calls(2);
  const waiting = room.ask(`${pods}/a?timeout=1s`);
  expect((await waiting).code).toBe(504);
  expect(room.verbs.calls).toHaveLength(2);
  release();
  for (const { code } of await Promise.all(running)) expect(code).toBe(200);
});

function fakeRequest(user: string, bytes: number): { context: RequestContext; close: () => void } {
  const actions: (() => void)[] = [];
  const context = {
    user: { name: user },
    res: { writableLength: bytes },
    onClose: (action: () => void) => actions.push(action),
  } as unknown as RequestContext;
  const close = (): void => {
    for (const action of actions) action();
  };
  return { context, close };
}

test('who holds too much without a seat loses the oldest request, and nobody else does', () => {
  const rejected: RequestContext[] = [];
  const limits = { total: 25, perUser: 10, leastBytes: 2 };
  const requests = new UnseatedRequests(limits, (context) => rejected.push(context));
  const [one, two, three] = [fakeRequest('a', 1), fakeRequest('a', 8), fakeRequest('a', 2)];
  requests.add(one.context);
  requests.add(two.context);
  expect(rejected).toEqual([]);
  requests.add(three.context);
  expect(rejected).toEqual([one.context]);
  two.close();
  requests.add(fakeRequest('a', 8).context);
  expect(rejected).toHaveLength(1);
  requests.add(fakeRequest('b', 9).context);
  requests.add(fakeRequest('c', 7).context);
  expect(rejected.slice(1)).toEqual([three.context]);
});
