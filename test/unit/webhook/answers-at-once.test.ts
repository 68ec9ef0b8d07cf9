/** The work that follows answers of a webhook that end at once is spread over turns of the event loop. */
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { HttpsTransport } from '../../../src/webhook/https-transport.ts';
import { makeAuthority, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { holdThread, TurnCounts } from '../../support/turn-counts.ts';

const calls = 40;
const workMs = 6;
const held: ServerResponse[] = [];
let folder: TempFolder;
let authority: TestAuthority;
let server: Server;

beforeAll(async () => {
  folder = await makeTempFolder('answers-at-once');
  authority = await makeAuthority(folder.path);
  const { cert, key } = await authority.server('stuck');
  server = createServer({ cert, key }, (request, response) => {
    request.resume();
    if (held.push(response) === calls) for (const one of held) one.end('{"response":{"allowed":true}}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await folder.remove();
});

test('answers of a webhook that was stuck', async () => {
  const url = new URL(`https://127.0.0.1:${String((server.address() as AddressInfo).port)}/path`);
  const access = { server: url, ca: Buffer.from(authority.ca), cert: undefined, key: undefined, token: '' };
  const transport = new HttpsTransport(access, { ...systemEnvironment, isForeign: true, repeats: true });
  const turns = new TurnCounts();
  const { signal } = new AbortController();
  const call = async (): Promise<void> => {
    const answer = await transport.json({ method: 'POST', path: '/path', body: {} }, signal);
    expect(answer).toEqual({ response: { allowed: true } });
    turns.note();
    holdThread(workMs);
  };
  await Promise.all(Array.from({ length: calls }, call));
  turns.end();
  transport.close();
  expect(turns.all).toBe(calls);
  expect(turns.most).toBeLessThanOrEqual(3);
});
