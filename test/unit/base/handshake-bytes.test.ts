/** A server that shows many certificates is cut off before they are compared. */
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TlsOptions, type TLSSocket } from 'node:tls';
import { systemClock } from '../../../src/base/clock.ts';
import { PacedAgent } from '../../../src/base/paced-agent.ts';
import { constrainedChain, type ChainSize } from '../../support/constrained-chain.ts';
import { cpuMsSince, moment } from '../../support/cpu-time.ts';

const host = '127.0.0.1';
let server: Server | undefined;
const agent = new PacedAgent(systemClock, {}, { keepAlive: false });
afterEach(() => {
  agent.destroy();
  server?.close();
});

function portShowing(size: ChainSize): Promise<number> {
  return portOf(size, {}, (socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
}

async function portOf(
  size: ChainSize,
  options: TlsOptions,
  take: (socket: TLSSocket) => unknown,
): Promise<number> {
  const { cert, key } = await constrainedChain(size);
  const made = createServer({ cert, key, ...options }, (socket) => {
    take(socket.on('error', () => undefined));
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, host, resolve));
  return (made.address() as AddressInfo).port;
}

function status(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, agent, rejectUnauthorized: false }, (res) => {
      res.resume();
      resolve(res.statusCode);
    });
    sent.once('error', reject).end();
  });
}

test('a server with 60 KB of certificates is left within a moment, and the error says why', async () => {
  const port = await portShowing({ names: 2_000, authorities: 20, constraints: 230 });
  const begin = moment();
  await expect(status(port)).rejects.toThrow(
    'the other side sent more than 12288 bytes in its TLS handshake',
  );
  expect(cpuMsSince(begin)).toBeLessThan(400);
});

test('a server with 8 KB of certificates answers', async () => {
  const port = await portShowing({ names: 10, authorities: 20, constraints: 1 });
  expect(await status(port)).toBe(204);
});

test('a server cannot begin a second handshake', async () => {
  const refused = Promise.withResolvers<string>();
  const port = await portOf(
    { names: 1, authorities: 0, constraints: 0 },
    { maxVersion: 'TLSv1.2' },
    (socket) => {
      socket.once('error', (error) => {
        refused.resolve(error.message);
      });
      socket.renegotiate({}, (error) => {
        refused.resolve(error?.message ?? 'done');
      });
    },
  );
  await Promise.all([
    expect(status(port)).rejects.toThrow(),
    expect(refused.promise).resolves.toMatch(/no renegotiation/),
  ]);
});
