/** Large bodies take their size from a budget before they are served; what does not fit waits, or is sent away. */
import { request } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { defaultBodyLimits } from '../../../src/http/body.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const pods = '/api/v1/namespaces/x/pods';
const smallBytes = 1_000;
const large = JSON.stringify({ metadata: { name: 'a' }, padding: 'x'.repeat(40_000) });
const pace = { graceMs: 1_000, wholeMs: 4_000 };
const json = { 'content-type': 'application/json' };

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let room: HttpRoom;

beforeAll(async () => {
  folder = await makeTempFolder('body-budget');
  room = await openRoom(folder.path, {
    bodyLimits: { ...defaultBodyLimits, maxBytes: 4_000_000, smallBytes },
    bodyBudget: { total: 100_000, perFlow: 50_000, maxWaiting: 1, maxWaitMs: 200, pace },
  });
  room.verbs.entries = [podEntry('a', 7)];
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});
beforeEach(() => {
  room.verbs.calls.length = 0;
  room.verbs.before = () => Promise.resolve();
});

/** A request whose body is announced and does not come until `send` is called. */
function announced(headers: Record<string, string | number>, to = room) {
  const req = request({
    ...{ host: '127.0.0.1', port: to.server.port, ca: to.authority.ca, path: pods, method: 'POST' },
    headers: { ...json, ...headers },
  });
  const answer = new Promise<{ code: number; retryAfter: string | undefined }>((resolve, reject) => {
    req.on('error', reject);
    req.on('response', (res) => {
      res.resume();
      res.on('end', () => {
        resolve({ code: res.statusCode ?? 0, retryAfter: res.headers['retry-after'] });
      });
    });
  });
  req.flushHeaders();
  return { req, answer };
}

const inWork = async (of = room): Promise<number> => {
  const text = await of.metrics.text();
  return Number(/^apiserver_current_inflight_request_bytes (\d+)$/m.exec(text)?.[1] ?? 0);
};

test('what one user sends beyond its share waits for its turn', async () => {
  const first = announced({ 'content-length': large.length });
  await waitFor('the budget to be in use', async () => (await inWork()) === large.length);
  const second = room.ask(pods, { method: 'POST', headers: json, body: large });
  first.req.end(large);
  expect((await first.answer).code).toBe(201);
  expect((await second).code).toBe(201);
  await waitFor('the budget to be free', async () => (await inWork()) === 0);
});

test('a wait without end is 429 with Retry-After, and so is one too many', async () => {
  const holder = announced({ 'content-length': large.length });
  await waitFor('the budget to be in use', async () => (await inWork()) === large.length);
  const waiting = room.ask(pods, { method: 'POST', headers: json, body: large });
  const tooMany = room.ask(pods, { method: 'POST', headers: json, body: large });
  for (const answer of await Promise.all([waiting, tooMany])) {
    expect(answer.code).toBe(429);
    expect(answer.headers['retry-after']).toBe('1');
  }
  holder.req.end(large);
  expect((await holder.answer).code).toBe(201);
});

test('a refused client may finish its body, and uses the connection again', async () => {
  const holder = announced({ 'content-length': large.length });
  await waitFor('the budget to be in use', async () => (await inWork()) === large.length);
  const late = announced({ 'content-length': 3_000_000 });
  late.req.write(Buffer.alloc(2_000_000));
  expect((await late.answer).code).toBe(429);
  await new Promise<void>((resolve, reject) => {
    late.req.on('error', reject);
    late.req.end(Buffer.alloc(1_000_000), () => {
      resolve();
    });
  });
  holder.req.destroy();
  await holder.answer.catch(() => undefined);
  await waitFor('the budget to be free', async () => (await inWork()) === 0);
});

test('a chunked body counts as the largest that it may become', async () => {
  const chunked = announced({ 'transfer-encoding': 'chunked' });
  await waitFor('the budget to be in use', async () => (await inWork()) === 4_000_000);
  chunked.req.end(large);
  expect((await chunked.answer).code).toBe(201);
  await waitFor('the budget to be free', async () => (await inWork()) === 0);
});

test('small bodies do not wait', async () => {
  const holder = announced({ 'content-length': large.length });
  await waitFor('the budget to be in use', async () => (await inWork()) === large.length);
  const body = JSON.stringify({ metadata: { name: 'a' } });
  expect((await room.ask(pods, { method: 'POST', headers: json, body })).code).toBe(201);
  holder.req.destroy();
  await holder.answer.catch(() => undefined);
  await waitFor('the budget to be free', async () => (await inWork()) === 0);
});

test('bodies of reviews are small', async () => {
  const body = JSON.stringify({ metadata: { name: 'a' }, padding: 'x'.repeat(70_000) });
  const path = '/api/v1/namespaces/x/bindings';
  const answer = await room.ask(path, { method: 'POST', headers: json, body });
  expect(answer.code).toBe(413);
});

describe('bodies that come slowly', () => {
  let patient: HttpRoom;

  beforeAll(async () => {
    const bodyBudget = { total: 100_000, perFlow: 1_000_000, maxWaiting: 10, maxWaitMs: 20_000 };
    patient = await openRoom(`${folder.path}/patient`, {
      bodyLimits: { ...defaultBodyLimits, maxBytes: 4_000_000, smallBytes },
      bodyBudget: { ...bodyBudget, pace: { graceMs: 500, wholeMs: 1_000 } },
    });
    patient.verbs.entries = [podEntry('a', 7)];
  });
  afterAll(() => patient.close());

  test('do not block others: they are 429 as soon as another request needs the bytes', async () => {
    const slow = [
      announced({ 'content-length': 60_000 }, patient),
      announced({ 'content-length': 40_000 }, patient),
    ];
    for (const { req } of slow) req.write('{');
    await waitFor('the budget to be in use', async () => (await inWork(patient)) === 100_000);
    const before = performance.now();
    expect((await patient.ask(pods, { method: 'POST', headers: json, body: large })).code).toBe(201);
    expect(performance.now() - before).toBeLessThan(5_000);
    expect((await slow[0]?.answer)?.code).toBe(429);
    for (const { req, answer } of slow) {
      req.destroy();
      await answer.catch(() => undefined);
    }
    await waitFor('the budget to be free', async () => (await inWork(patient)) === 0);
  });

  test('may continue while no other request needs the bytes', async () => {
    const slow = announced({ 'content-length': large.length }, patient);
    slow.req.write(large.slice(0, 1));
    await waitFor('the budget to be in use', async () => (await inWork(patient)) === large.length);
    await pause(2_000);
    slow.req.end(large.slice(1));
    expect((await slow.answer).code).toBe(201);
  });
});
