/** A client that sends more than is read gets the answer all the same, and none before it has sent all. */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { StatusError } from '../../../src/meta/status.ts';
import { dropRest, longestBody, readBody } from '../../../src/testing/service/request-body.ts';
import { waitFor } from '../../support/wait-for.ts';

const most = 1024 * 1024;
/** Whether the connection could go on, of each request in turn. */
const goesOn: boolean[] = [];
let server: Server;

beforeAll(async () => {
  server = createServer((req, res) => {
    void (async () => {
      const length = await lengthOf(req);
      const mayGoOn = await dropRest(req, { bytes: most, ms: req.url === '/slow' ? 50 : 30_000 });
      goesOn.push(mayGoOn);
      if (!mayGoOn) res.setHeader('connection', 'close');
      res.writeHead(length === undefined ? 413 : 200).end(String(length));
    })();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  goesOn.length = 0;
});

async function lengthOf(req: IncomingMessage): Promise<number | undefined> {
  try {
    return (await readBody(req)).length;
  } catch (error) {
    if (error instanceof StatusError && error.status.code === 413) return undefined;
    throw error;
  }
}

const port = (): number => (server.address() as AddressInfo).port;

async function post(body: string, headers = {}): Promise<{ code: number | undefined; text: string }> {
  const sent = request({ host: '127.0.0.1', port: port(), method: 'POST', headers }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { code: response.statusCode, text: await text(response) };
}

async function half(path: string): Promise<Socket> {
  const socket = connect(port(), '127.0.0.1');
  socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${String(2 * longestBody)}\r\n\r\n`);
  socket.write('x'.repeat(longestBody));
  await once(socket, 'connect');
  return socket;
}

test('a body that is no longer than the longest is read', async () => {
  expect(await post('x'.repeat(longestBody))).toEqual({ code: 200, text: String(longestBody) });
});

test.each([{}, { 'transfer-encoding': 'chunked' }])(
  'one that is longer is refused behind its end, and the connection goes on: %p',
  async (headers) => {
    expect(await post('x'.repeat(10 * longestBody), headers)).toMatchObject({ code: 413 });
    expect(goesOn).toEqual([true]);
  },
);

test('no answer comes before the end', async () => {
  const socket = await half('/');
  let answer = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (answer += chunk));
  // Behind its head: each of these is read, and answered, in a later turn.
  for (let i = 0; i < 8; i += 1) await post('');
  expect(answer).toBe('');
  socket.write('x'.repeat(longestBody));
  await once(socket, 'data');
  expect(answer).toMatch(/^HTTP\/1.1 413 /);
  socket.destroy();
});

test('more than is passed over ends the connection', async () => {
  const sent = request({ host: '127.0.0.1', port: port(), method: 'POST' });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.write('x'.repeat(most + 2 * longestBody));
  const [response] = await answered;
  expect(response).toMatchObject({ statusCode: 413, headers: { connection: 'close' } });
  expect(goesOn).toEqual([false]);
  sent.on('error', () => undefined).destroy();
});

test('so does a client that does not send its rest in time, or leaves', async () => {
  const slow = await half('/slow');
  await once(slow.resume(), 'close');
  (await half('/')).destroy();
  await waitFor('both to be known', () => goesOn.length === 2);
  expect(goesOn).toEqual([false, false]);
});
