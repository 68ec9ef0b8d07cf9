/** A server that changes its keys (TLS 1.3) without end is left. */
import { request } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { systemClock } from '../../../src/base/clock.ts';
import { PacedAgent } from '../../../src/base/paced-agent.ts';
import { cipher, keyUpdates } from '../../support/key-updates.ts';
import { makeAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const host = '127.0.0.1';
/** Records that OpenSSL sends behind the handshake. */
const tickets = 2;

const agent = new PacedAgent(systemClock, {}, { keepAlive: false });
let listener: Server | undefined;
let accepted: Socket | undefined;
let folder: TempFolder | undefined;
afterEach(async () => {
  agent.destroy();
  accepted?.destroy();
  listener?.close();
  await folder?.remove();
});

/** Gives the port of a server that changes its keys so often instead of answering. */
async function portOf(changes: number): Promise<number> {
  folder = await makeTempFolder('key-changes');
  const { cert, key } = await (await makeAuthority(folder.path)).server('changing');
  const server = createServer({ cert, key, ciphers: cipher.suite, minVersion: 'TLSv1.3' });
  let secret = '';
  server.on('keylog', (line) => {
    secret = /^SERVER_TRAFFIC_SECRET_0 \S+ (\w+)/.exec(line.toString())?.[1] ?? secret;
  });
  server.on('secureConnection', (socket) => {
    socket.on('error', () => undefined);
    // The tickets are written behind this event.
    setImmediate(() => accepted?.write(keyUpdates(changes, Buffer.from(secret, 'hex'), tickets)));
  });
  const made = createTcpServer((socket) => {
    accepted = socket.on('error', () => undefined);
    server.emit('connection', socket);
  });
  listener = made;
  await new Promise<void>((resolve) => made.listen(0, host, resolve));
  return (made.address() as AddressInfo).port;
}

test('a request to it fails before its time is over', async () => {
  const port = await portOf(101);
  const signal = AbortSignal.timeout(10_000);
  const answer = new Promise((resolve, reject) => {
    request({ host, port, agent, signal, rejectUnauthorized: false }, resolve).once('error', reject).end();
  });
  await expect(answer).rejects.toThrow('socket hang up');
});
