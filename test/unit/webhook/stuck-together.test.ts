/** Calls of a webhook that is stuck, whose time is up together: their ends are spread over turns of the event loop. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { systemRandom } from '../../../src/base/random.ts';
import { WebhookClient } from '../../../src/webhook/webhook-client.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { TurnCounts } from '../../support/turn-counts.ts';
import { waitFor } from '../../support/wait-for.ts';

const calls = 200;
/** Each takes up to 3 ms in a service. */
const mostInTurn = 8;
const { signal } = new AbortController();

/** Accepts, and says nothing. */
let server: Server;
const sockets = new Set<Socket>();

beforeAll(async () => {
  server = createServer((socket) => sockets.add(socket.on('error', () => undefined)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

test.each([
  ['of admission', (client: WebhookClient) => client.sendReviewOnce({}, { timeoutSeconds: 10, signal })],
  ['with retries', (client: WebhookClient) => client.sendReview({})],
])('calls %s', async (_name, send) => {
  const clock = new HandClock();
  const access = { ca: undefined, cert: undefined, key: undefined, token: '' };
  const url = `https://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  const client = new WebhookClient(
    { ...access, server: url },
    { clock, random: systemRandom, timeoutMs: 10_000 },
  );
  const turns = new TurnCounts();
  const failed = Array.from({ length: calls }, () => send(client).catch(() => turns.note()));
  await waitFor('a connection', () => sockets.size > 0);
  clock.advance(10_000);
  await Promise.all(failed);
  turns.end();
  client.close();
  expect(turns.all).toBe(calls);
  expect(turns.most).toBeLessThanOrEqual(mostInTurn);
});
