/** What Node refuses by itself: each with a Status, over real TLS, and the server is well afterwards. */
import { connect, type TLSSocket } from 'node:tls';
import { podEntry } from '../../support/http/fake-verbs.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const pods = '/api/v1/namespaces/x/pods';
let folder: TempFolder;
let room: HttpRoom;

beforeAll(async () => {
  folder = await makeTempFolder('refusals');
  room = await openRoom(folder.path);
  room.verbs.entries = [podEntry('a', 1)];
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});

/** Sends bytes on a connection of their own and gives all that came back when the server ended it. */
async function exchange(bytes: string, more: Promise<string> = Promise.resolve('')): Promise<string> {
  let text = '';
  const socket = connect({ host: '127.0.0.1', port: room.server.port, ca: room.authority.ca });
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error'] as const) socket.once(event, () => resolve());
  });
  socket.write(bytes);
  void more.then((rest) => socket.writable && socket.write(rest));
  await within('the end of the connection', 5_000, ended);
  socket.destroy();
  return text;
}

const cases: { name: string; bytes: string; code: number; reason: string; says: RegExp }[] = [
  { name: 'no request at all', bytes: 'hello\r\n\r\n', code: 400, reason: 'BadRequest', says: /not HTTP/ },
  {
    name: 'a header that is none',
    bytes: `GET ${pods}/a HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n`,
    code: 400,
    reason: 'BadRequest',
    says: /not HTTP/,
  },
  {
    name: 'two lengths of a body',
    bytes: `POST ${pods} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    code: 400,
    reason: 'BadRequest',
    says: /not HTTP/,
  },
  {
    name: 'a body of a transfer coding that is not known',
    bytes: `POST ${pods} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    code: 400,
    reason: 'BadRequest',
    says: /transfer coding/,
  },
  {
    name: 'a body in chunks that are none',
    bytes: `POST ${pods} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    code: 400,
    reason: 'BadRequest',
    says: /not HTTP/,
  },
  {
    name: 'headers that are too large',
    bytes: `GET ${pods}/a HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(200_000)}\r\n\r\n`,
    code: 431,
    reason: 'RequestEntityTooLarge',
    says: /headers of the request are too large/,
  },
  {
    name: 'more headers than anybody needs',
    bytes: `GET ${pods}/a HTTP/1.1\r\nHost: x\r\n${'x:\r\n'.repeat(1_000)}\r\n`,
    code: 431,
    reason: 'RequestEntityTooLarge',
    says: /headers of the request are too large or too many/,
  },
  {
    name: 'an expectation that nobody knows',
    bytes: `GET ${pods}/a HTTP/1.1\r\nHost: x\r\nExpect: "miracles"\r\n\r\n`,
    code: 417,
    reason: 'BadRequest',
    says: /the expectation .*miracles.* is not known/,
  },
  {
    name: 'no host',
    bytes: `GET ${pods}/a HTTP/1.1\r\n\r\n`,
    code: 400,
    reason: 'BadRequest',
    says: /no Host header/,
  },
  {
    name: 'two hosts',
    bytes: `GET ${pods}/a HTTP/1.1\r\nHost: x\r\nhOST: y\r\n\r\n`,
    code: 400,
    reason: 'BadRequest',
    says: /more than one Host header/,
  },
  {
    name: 'a tunnel',
    bytes: 'CONNECT example.test:443 HTTP/1.1\r\nHost: example.test:443\r\n\r\n',
    code: 405,
    reason: 'MethodNotAllowed',
    says: /does not allow this method/,
  },
];

test.each(cases)('$name: $code', async ({ bytes, code, reason, says }) => {
  const answer = await exchange(bytes);
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${String(code)} [A-Z]`));
  expect(head).toMatch(/^content-type: application\/json$/im);
  expect(head).toMatch(/^connection: close$/im);
  expect(Number(/^content-length: (\d+)$/im.exec(head)?.[1])).toBe(Buffer.byteLength(body));
  expect(JSON.parse(body)).toMatchObject({
    ...{ kind: 'Status', apiVersion: 'v1', status: 'Failure', metadata: {} },
    ...{ code, reason, message: expect.stringMatching(says) as string },
  });
  expect((await room.ask(`${pods}/a`)).code).toBe(200);
});

test('a body of a transfer coding that the parser does not know, either, is refused once', async () => {
  const head = `POST ${pods} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunk\r\n\r\n`;
  const answers = (await exchange(`${head}2\r\n{}\r\n0\r\n\r\n`)).match(/^HTTP\/1\.1 \d+/gm);
  expect(answers).toEqual(['HTTP/1.1 400']);
});

test('a client of HTTP/1.0 is not told to continue, which it would take for the answer', async () => {
  const head = `POST ${pods} HTTP/1.0\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n`;
  const answer = await exchange(`${head}Content-Length: 2\r\n\r\n{}`);
  expect(answer.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 201']);
});

test('HTTP/1.0 needs no host', async () => {
  expect(await exchange(`GET ${pods}/a HTTP/1.0\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 OK/);
});

test.each([
  ['one request', 1],
  ['requests that wait', 3],
])('nonsense behind %s: they are answered first', async (_what, count) => {
  const release = Promise.withResolvers<undefined>();
  const before = room.verbs.calls.length;
  room.verbs.before = () => release.promise.then(() => undefined);
  const running = waitFor('the request to run', () => room.verbs.calls.length > before);
  const exchanged = exchange(
    `GET ${pods}/a HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count),
    running.then(() => 'nonsense\r\n\r\n'),
  );
  await running;
  // A request on another connection comes and goes behind it.
  expect((await room.ask('/readyz')).code).toBe(200);
  release.resolve(undefined);
  const codes = [...(await exchanged).matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, code]) => Number(code));
  expect(codes).toEqual([...Array<number>(count).fill(200), 400]);
  expect((await room.ask(`${pods}/a`)).code).toBe(200);
});

test('nonsense that comes with a request, and goes on behind it, is refused once', async () => {
  const release = Promise.withResolvers<undefined>();
  const before = room.verbs.calls.length;
  room.verbs.before = () => release.promise.then(() => undefined);
  const running = waitFor('the request to run', () => room.verbs.calls.length > before);
  const answer = exchange(
    `GET ${pods}/a HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n`,
    running.then(() => 'more nonsense'.repeat(10_000)),
  );
  await running;
  release.resolve(undefined);
  expect(await answer).toMatch(/^HTTP\/1\.1 200 OK[^]*HTTP\/1\.1 400 Bad Request[^]*"code":400}\n$/);
});

test('a body that is none behind a request: that is answered, and nothing is written', async () => {
  const release = Promise.withResolvers<undefined>();
  const before = room.verbs.calls.length;
  room.verbs.before = () => release.promise.then(() => undefined);
  const running = waitFor('the request to run', () => room.verbs.calls.length > before);
  const post = `POST ${pods} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
  const exchanged = exchange(`GET ${pods}/a HTTP/1.1\r\nHost: x\r\n\r\n${post}`);
  await running;
  release.resolve(undefined);
  const codes = [...(await exchanged).matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, code]) => Number(code));
  expect(codes).toEqual([200, 400]);
  expect(room.verbs.calls.length).toBe(before + 1);
});

describe('behind a watch', () => {
  const path = `${pods}?watch=true`;

  /** A watch with nonsense behind it. */
  async function watchedBadly(): Promise<TLSSocket> {
    room.verbs.before = () => Promise.resolve();
    const before = room.verbs.watches.length;
    const socket = connect({ host: '127.0.0.1', port: room.server.port, ca: room.authority.ca });
    socket.on('error', () => undefined).resume();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n`);
    await waitFor('the watch', () => room.verbs.watches.length > before);
    return socket;
  }
  const isOver = (): boolean => room.verbs.watches.at(-1)?.closed === true;

  test.each<[string, (socket: TLSSocket) => unknown]>([
    ['ends', (socket) => socket.end()],
    ['goes', (socket) => socket.destroy()],
    [
      'sends more and more',
      (socket) => {
        const timer = setInterval(() => socket.write('x'.repeat(1_000)), 1);
        socket.once('close', () => clearInterval(timer));
      },
    ],
  ])('nonsense, and the client %s: the watch is over', async (_what, act) => {
    const socket = await watchedBadly();
    expect(isOver()).toBe(false);
    act(socket);
    await waitFor('the end of the watch', isOver);
    socket.destroy();
  });
});
