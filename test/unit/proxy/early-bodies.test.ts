/** Bodies that have arrived, as far as they are buffered, before the backend is asked: the connection of the client is paused then. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  connect,
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net';
import { systemClock } from '../../../src/base/clock.ts';
import { askBackend } from '../../../src/proxy/ask-backend.ts';
import { waitFor } from '../../support/wait-for.ts';

const waits = { clock: systemClock, patience: { connectMs: 10_000, headMs: 10_000 } };
const bodyBytes = 1024 * 1024;
const head = `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${String(bodyBytes)}\r\n\r\n`;

let stop: AbortController;
const servers: Server[] = [];
const sockets = new Set<Socket>();
beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => {
  stop.abort();
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** Asks the backend once no more of the body is read. @returns the port for clients */
function lateProxyTo(port: number): Promise<number> {
  const pass = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    await waitFor('the body', () => req.readableLength >= req.readableHighWaterMark);
    const backend = { scheme: 'http', host: '127.0.0.1', port, path: '/' } as const;
    const headers = ['Host', 'x', 'Content-Length', String(bodyBytes)];
    const request = { method: 'POST', headers, body: req, signal: stop.signal };
    const text = await askBackend(backend, request, waits).then(
      ({ response }) => `answered ${String(response.statusCode)}`,
      () => 'failed',
    );
    res.end(text);
  };
  return listen(
    createServer((req, res) => {
      if (req.method === 'POST') void pass(req, res);
      else res.end('next');
    }),
  );
}

/** Sends a request with its body at once. */
function send(port: number): { readonly socket: Socket; readonly said: () => string } {
  let said = '';
  const socket = connect(port, '127.0.0.1');
  sockets.add(socket.on('error', () => undefined));
  socket.on('data', (bytes: Buffer) => (said += bytes.toString()));
  socket.write(head);
  socket.write(Buffer.alloc(bodyBytes));
  return { socket, said: () => said };
}

test('pass whole', async () => {
  let arrived = 0;
  const backend = createServer((req, res) => {
    req.on('data', (bytes: Buffer) => (arrived += bytes.length));
    req.on('end', () => res.end());
  });
  const { said } = send(await lateProxyTo(await listen(backend)));
  await waitFor('the answer', () => said().endsWith('answered 200'), {
    details: () => `${String(arrived)} bytes`,
  });
  expect(arrived).toBe(bodyBytes);
});

test('leave the connection usable when the backend is not there', async () => {
  const gone = createTcpServer();
  const port = await listen(gone);
  gone.close();
  const { socket, said } = send(await lateProxyTo(port));
  await waitFor('the answer', () => said().endsWith('failed'));
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await waitFor('the answer to the next request', () => said().endsWith('next'));
});
