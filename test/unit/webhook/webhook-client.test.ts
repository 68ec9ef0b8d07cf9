/** Answers of webhooks are bounded: what is parsed in one go must not hold the one thread for long. */
import { getEventListeners } from 'node:events';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { WebhookClient, type WebhookClientOptions } from '../../../src/webhook/webhook-client.ts';
import { makeServicePki, type ServicePki } from '../../support/replica.ts';
import { WebhookServer } from '../../support/webhook-server.ts';

const mebibyte = 1024 * 1024;

let pki: ServicePki;
let server: WebhookServer;

beforeAll(async () => {
  pki = await makeServicePki();
  server = await WebhookServer.start(await pki.authority.server('hook'), pki.authority);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await pki[Symbol.asyncDispose]();
});
beforeEach(() => {
  server.calls.length = 0;
});

function clientWith(options: Partial<WebhookClientOptions> = {}, token = ''): WebhookClient {
  const ca = Buffer.from(pki.authority.ca);
  const access = { server: `${server.url}/review`, ca, cert: undefined, key: undefined, token };
  return new WebhookClient(access, { ...systemEnvironment, ...options });
}

function answerOf(bytes: number): void {
  const frame = JSON.stringify({ text: '' }).length;
  server.answer = () => ({ body: { text: 'x'.repeat(bytes - frame) } });
}

test('of what is asked until it is known, a mebibyte is read; more is no error that passes', async () => {
  const client = clientWith();
  answerOf(mebibyte);
  expect(await client.sendReview({})).toHaveProperty('text');
  answerOf(mebibyte + 1);
  await expect(client.sendReview({})).rejects.toThrow('the response is longer than 1 MiB');
  expect(server.calls).toHaveLength(2);
  client.close();
});

test('of what is asked until it is known, ten thousand members are read, which take the time', async () => {
  const client = clientWith();
  const items = (count: number): void => {
    server.answer = () => ({ body: { items: Array.from({ length: count }, () => 1) } });
  };
  items(10_001);
  expect(await client.sendReview({})).toHaveProperty('items');
  items(10_002);
  await expect(client.sendReview({})).rejects.toThrow('the response has more than 10000 members');
  expect(server.calls).toHaveLength(2);
  client.close();
});

test('whoever may be told more says so', async () => {
  const client = clientWith({ longestAnswer: 2 * mebibyte });
  const once = { timeoutSeconds: 10, signal: AbortSignal.timeout(10_000) };
  answerOf(2 * mebibyte);
  expect(await client.sendReviewOnce({}, once)).toHaveProperty('text');
  answerOf(2 * mebibyte + 1);
  await expect(client.sendReviewOnce({}, once)).rejects.toThrow(
    `Post "${server.url}/review?timeout=10s": the response is longer than 2 MiB`,
  );
  client.close();
});

test('calls leave nothing with a signal that outlives them', async () => {
  const client = clientWith();
  const { signal } = new AbortController();
  server.answer = () => ({ body: {} });
  for (let call = 0; call < 3; call += 1) await client.sendReviewOnce({}, { timeoutSeconds: 10, signal });
  // Signals that depend on it (`AbortSignal.any`) stand in a set of its own, and the more there are, the longer each one takes.
  const members = signal as unknown as Readonly<Record<symbol, { readonly size?: number } | undefined>>;
  const sizes = Object.getOwnPropertySymbols(members).map((name) => members[name]?.size ?? 0);
  expect([Math.max(0, ...sizes), getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
  client.close();
});

test('a token that a webhook repeats reaches nobody, whatever the code', async () => {
  const token = 'SECRET.a-b_c/d+e=';
  const client = clientWith({}, token);
  const once = { timeoutSeconds: 10, signal: AbortSignal.timeout(10_000) };
  const head = 'POST /review HTTP/1.1\r\nAuthorization: ';
  server.answer = ({ authorization }) => ({ status: 400, body: `${head}${authorization}\r\n` });
  await expect(client.sendReview({})).rejects.toThrow(`${head}Bearer [redacted]`);
  await expect(client.sendReviewOnce({}, once)).rejects.toThrow('Bearer [redacted]');
  server.answer = ({ authorization }) => ({
    status: 403,
    body: { message: authorization, reason: authorization },
  });
  const refused = await client.sendReview({}).catch((error: unknown) => error);
  expect(refused).toMatchObject({ message: 'Bearer [redacted]', reason: 'Bearer [redacted]' });
  server.answer = ({ authorization }) => ({ body: { status: { reason: authorization } } });
  expect(await client.sendReview({})).toEqual({ status: { reason: 'Bearer [redacted]' } });
  expect(server.calls.map(({ authorization }) => authorization)).toEqual(
    server.calls.map(() => `Bearer ${token}`),
  );
  client.close();
});

test('an answer that nests without end is none, in whatever way it is read', async () => {
  const nested = (levels: number): string =>
    `{"status":{"allowed":true},"x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  for (const exactNumbers of [false, true]) {
    const client = clientWith({ exactNumbers });
    server.answer = () => ({ body: nested(900) });
    expect(JSON.stringify(await client.sendReview({}))).toBe(nested(900));
    server.answer = () => ({ body: nested(100_000) });
    expect(await client.sendReview({})).toEqual({});
    client.close();
  }
});

test('a webhook that switches protocols has not answered', async () => {
  const client = clientWith();
  const once = { timeoutSeconds: 10, signal: AbortSignal.timeout(10_000) };
  server.answer = () => ({ status: 101, headers: { upgrade: 'x', connection: 'upgrade' } });
  await expect(client.sendReviewOnce({}, once)).rejects.toThrow(
    'the connection was closed without an answer',
  );
  client.close();
}, 5_000);
