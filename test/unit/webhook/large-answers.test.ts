/** Many large responses that end at once are not parsed in one turn of the event loop. */
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { HttpsTransport } from '../../../src/webhook/https-transport.ts';
import { cpuBudget } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';
import { makeAuthority, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const calls = 40;
/** A conversion of many small members: 3 MB. */
const large = JSON.stringify({
  response: {
    convertedObjects: Array.from({ length: 60_000 }, (_, i) => ({ kind: 'Cup', size: i, on: {} })),
  },
});
const answer = JSON.stringify({ groups: Array.from({ length: 40_000 }, (_, i) => `group-${String(i)}`) });

let folder: TempFolder;
let authority: TestAuthority;
let server: Server;
/** 400 KB that take longer to parse than to send. */
const slow = JSON.stringify({
  groups: Array.from({ length: 8_000 }, () =>
    '0'
      .repeat(16)
      .split('')
      .map(() => []),
  ),
});
/** Responses of the path `/slow` that are sent completely. */
let sent = 0;
let turn = 0;
/** The turn in which all got their last byte. */
let finishedIn = 0;
/** Each lacks its last byte, until all do. */
const unfinished: ServerResponse[] = [];

beforeAll(async () => {
  folder = await makeTempFolder('large-answers');
  authority = await makeAuthority(folder.path);
  const { cert, key } = await authority.server('large');
  server = createServer({ cert, key }, (request, response) => {
    request.resume();
    if (request.url === '/large') {
      response.end(large);
      return;
    }
    if (request.url === '/slow') {
      response.end(slow, () => (sent += 1));
      return;
    }
    response.write(answer.slice(0, -1), () => {
      if (unfinished.push(response) === calls) finish();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await folder.remove();
});

function finish(): void {
  finishedIn = turn;
  for (const response of unfinished) response.end(answer.slice(-1));
}

function transportOf(exactNumbers: boolean): HttpsTransport {
  const url = new URL(`https://127.0.0.1:${String((server.address() as AddressInfo).port)}/path`);
  const ca = Buffer.from(authority.ca);
  const access = { server: url, ca, cert: undefined, key: undefined, token: '' };
  return new HttpsTransport(access, { ...systemEnvironment, isForeign: true, repeats: true, exactNumbers });
}

/** Processor time of the longest turn of the event loop in which such an answer is read. */
async function longestTurn(transport: HttpsTransport): Promise<number> {
  const request = { method: 'POST', path: '/large', body: {} } as const;
  let value: unknown;
  const turns = await turnsOf(async () => {
    value = await transport.json(request, AbortSignal.timeout(60_000));
  });
  expect(JSON.stringify(value)).toBe(large);
  return turns[0] ?? Infinity;
}

test.each([false, true])(
  'one of megabytes is parsed in several turns (exact numbers: %s)',
  async (isExact) => {
    const transport = transportOf(isExact);
    const turns: number[] = [];
    // A major garbage collection may fall into one of them.
    for (let round = 0; round < 6; round += 1) turns.push(await longestTurn(transport));
    transport.close();
    expect(Math.min(...turns)).toBeLessThan(cpuBudget(15));
  },
);

test('many that end at once are parsed in many turns', async () => {
  const transport = transportOf(false);
  let isDone = false;
  const count = (): void => {
    turn += 1;
    if (!isDone) setImmediate(count);
  };
  count();
  const ends = await Promise.all(
    Array.from({ length: calls }, async () => {
      await transport.json({ method: 'POST', path: '/path', body: {} }, AbortSignal.timeout(60_000));
      return turn;
    }),
  );
  isDone = true;
  transport.close();
  // Each takes some 10 ms, and all together have about 3 ms in a turn.
  expect(Math.max(...ends) - finishedIn).toBeGreaterThan(calls / 2);
});

test('what many have sent does not pile up while others are parsed', async () => {
  const transport = transportOf(false);
  let parsed = 0;
  let most = 0;
  const ask = async (): Promise<void> => {
    await transport.json({ method: 'POST', path: '/slow', body: {} }, AbortSignal.timeout(60_000));
    most = Math.max(most, sent - parsed);
    parsed += 1;
  };
  const outcomes = await Promise.allSettled(Array.from({ length: 140 }, ask));
  transport.close();
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
  // 64 connections are read from, and 8 MiB wait.
  expect(most).toBeLessThan(64 + 22 + 24);
}, 60_000);
