/** Bodies of requests on their way to a backend: in few pieces, in turn, as fast as the backend reads. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { systemClock } from '../../../src/base/clock.ts';
import { askBackend } from '../../../src/proxy/ask-backend.ts';
import { waitFor } from '../../support/wait-for.ts';

const post = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const flood = '1\r\nx\r\n'.repeat(20_000);
const waits = { clock: systemClock, patience: { connectMs: 10_000, headMs: 10_000 } };

let stop: AbortController;
const servers: { close(): void }[] = [];
const sockets = new Set<Socket>();
beforeEach(() => {
  stop = new AbortController();
});
afterEach(() => {
  stop.abort();
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  servers.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Passes requests to a backend on this port. @returns the port for clients */
function proxyTo(port: number, onRequest: (req: IncomingMessage) => void = () => undefined): Promise<number> {
  const front = createServer((req, res) => {
    onRequest(req);
    const backend = { scheme: 'http', host: '127.0.0.1', port, path: '/' } as const;
    const request = { method: 'POST', headers: ['Host', 'x', 'Transfer-Encoding', 'chunked'], body: req };
    askBackend(backend, { ...request, signal: stop.signal }, waits).then(
      async ({ body }) => {
        for await (const bytes of body) res.write(bytes);
        res.end();
      },
      () => res.destroy(),
    );
  });
  return listen(front);
}

/** A client that sends these bytes, and then floods without end. */
function flooding(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  sockets.add(socket);
  const go = (): void => {
    while (socket.writable && socket.write(flood));
  };
  socket
    .on('error', () => undefined)
    .on('drain', go)
    .write(post);
  go();
  return socket;
}

describe('clients that send chunks of one byte without end', () => {
  test('are read in turn: a read of one of them in a turn of the event loop', async () => {
    const backend = createServer((req) => req.resume());
    backend.requestTimeout = 0;
    let [thisTurn, most, all] = [0, 0, 0];
    const port = await proxyTo(await listen(backend), (req) => {
      // What came with the head is read already.
      setImmediate(() => {
        const push = req.push.bind(req);
        req.push = (chunk: Buffer) => {
          thisTurn += 1;
          all += 1;
          return push(chunk);
        };
      });
    });
    const count = (): void => {
      most = Math.max(most, thisTurn);
      thisTurn = 0;
      if (!stop.signal.aborted) setImmediate(count);
    };
    for (let i = 0; i < 8; i++) flooding(port);
    count();
    await waitFor('some reads', () => all > 200_000);
    // A read takes 64 KiB, a sixth of it content; small reads of others may fall into the same turn.
    expect(most).toBeLessThan(25_000);
  });

  test('reach the backend in large pieces', async () => {
    let text = '';
    const backend = createTcpServer((socket) =>
      socket.on('data', (chunk) => (text += chunk.toString('latin1'))),
    );
    flooding(await proxyTo(await listen(backend)));
    await waitFor('the body', () => text.length > 300_000);
    const sizes = [...text.matchAll(/\r\n([0-9a-f]+)\r\n/g)].map(([, size]) => parseInt(size ?? '', 16));
    expect(300_000 / sizes.length).toBeGreaterThan(500);
  });

  test('wait for a backend that does not read', async () => {
    const backend = createTcpServer((socket) => socket.pause());
    const client = flooding(await proxyTo(await listen(backend)));
    let [sent, looksUnchanged] = [0, 0];
    await waitFor('the end of the flood', () => {
      looksUnchanged = client.bytesWritten === sent ? looksUnchanged + 1 : 0;
      sent = client.bytesWritten;
      return sent > 0 && looksUnchanged === 20;
    });
  });
});

test('a body passes line by line, and the connection serves the next request', async () => {
  let text = '';
  const backend = createServer((req, res) => {
    req.on('data', (chunk: Buffer) => (text += chunk.toString()));
    req.on('end', () => res.end('done'));
  });
  const client = connect(await proxyTo(await listen(backend)), '127.0.0.1');
  sockets.add(client);
  let said = '';
  client.on('data', (chunk) => (said += chunk.toString()));
  for (const round of [1, 2]) {
    text = '';
    client.write(post);
    for (const line of ['one', 'two', 'three']) {
      client.write(`${line.length.toString(16)}\r\n${line}\r\n`);
      await waitFor(line, () => text.endsWith(line));
    }
    client.write('0\r\n\r\n');
    await waitFor('the answer', () => said.split('done').length === round + 1);
  }
});

test('a body that ends early takes its request with it', async () => {
  let isGone = false;
  const backend = createServer((req) => req.on('aborted', () => (isGone = true)).resume());
  const client = connect(await proxyTo(await listen(backend)), '127.0.0.1');
  sockets.add(client);
  backend.once('request', () => client.destroy());
  client.write(`${post}3\r\none\r\n`);
  await waitFor('the end of the request', () => isGone);
});
