/** Clients that take their time: each is answered or cut, and holds nothing. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import type { HttpRoom } from '../../support/http/room.ts';
import { openRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

let folder: TempFolder;
let room: HttpRoom;
const patience = { handshakeMs: 3_000, headersMs: 500, requestMs: 1_000, checkMs: 50 };

beforeAll(async () => {
  folder = await makeTempFolder('slow');
  room = await openRoom(folder.path, {}, patience);
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});

/** Sends some bytes and no more; what came back when the server has closed the connection. */
async function answerTo(bytes: string): Promise<string> {
  const socket: TLSSocket = connect({ host: '127.0.0.1', port: room.server.port, ca: room.authority.ca });
  let text = '';
  socket.on('data', (part: Buffer) => (text += part.toString())).on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(bytes);
  await within('the end of the connection', 10_000, closed);
  return text;
}

test.each([
  ['nothing but a beginning', 'GET /version HTTP/1.1\r\nHost: x\r\nX-Slow: '],
  [
    'a body that does not end',
    'POST /api/v1/namespaces/x/pods HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{',
  ],
])('%s: 408, and the connection ends', async (_what, bytes) => {
  const answer = await answerTo(bytes);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toContain('"reason":"Timeout"');
});

test('silent clients time out', async () => {
  const socket = connectTcp({ host: '127.0.0.1', port: room.server.port });
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => undefined).once('close', () => resolve());
  });
  await within('the end of a handshake that was never begun', 10_000, closed);
  await answerTo('');
});

test('many of them do not delay others', async () => {
  const slow = Array.from({ length: 30 }, () => answerTo('GET /version HTTP/1.1\r\nHost: x\r\n'));
  const before = performance.now();
  expect((await room.ask('/version')).code).toBe(200);
  expect(performance.now() - before).toBeLessThan(5_000);
  for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

test('a client that vanishes without a word is found by TCP keepalive', async () => {
  const socket: TLSSocket = connect({ host: '127.0.0.1', port: room.server.port, ca: room.authority.ca });
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  const port = (number = 0): string => `:${number.toString(16).toUpperCase().padStart(4, '0')}`;
  const [ours, theirs] = [port(room.server.port), port(socket.localPort)];
  await waitFor('the keepalive timer of the server (proc_pid_net(5))', async () => {
    const lines = (await readFile('/proc/net/tcp', 'utf8'))
      .split('\n')
      .map((line) => line.trim().split(/\s+/));
    const ownLine = lines.find(
      (line) => line[1]?.endsWith(ours) === true && line[2]?.endsWith(theirs) === true,
    );
    return ownLine?.[5]?.startsWith('02:');
  });
  socket.destroy();
});

test('clients that reset their connections behind the first request are forgotten', async () => {
  const other = await makeTempFolder('reset');
  const { server, authority } = await openRoom(other.path, {}, patience);
  // Another thread, so that they are faster than the server.
  const clients = new Worker(join(import.meta.dirname, '../../support/http/reset-clients.mjs'), {
    workerData: { port: server.port, ca: authority.ca, count: 100, parallel: 20 },
  });
  await once(clients, 'exit');
  await within('the end of all connections', 10_000, server.close(60_000));
  await other.remove();
});
