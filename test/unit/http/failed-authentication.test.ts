/** Credentials that nobody accepts: so many of one address are looked at, then they are 429; nobody else notices. */
import { Agent, request } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { HttpRoom } from '../../support/http/room.ts';
import { openRoom } from '../../support/http/room.ts';
import { ownCounts } from '../../../src/base/counts.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let folder: TempFolder;
let room: HttpRoom;
const [attacker, other] = ['127.0.0.2', '127.0.0.3'];
const burst = 10;

beforeEach(async () => {
  folder = await makeTempFolder('failed-authentication');
  await open(1);
});

/** @param threads of the process that serve */
async function open(threads: number): Promise<void> {
  // Slow enough that nothing comes back while a test runs.
  const deps = { failedAuthentications: { qps: 0.001, burst }, counts: { ...ownCounts, threads } };
  room = await openRoom(folder.path, deps, undefined, { max: 0, maxPerAddress: 0 });
  const user = { name: 'tester', uid: '', groups: [], extra: {} };
  room.authenticate = ({ bearerToken, headers }) =>
    ['good', 'unseen'].includes(bearerToken) || headers.authorization === undefined
      ? { outcome: 'authenticated', user, authenticator: 'test' }
      : { outcome: 'rejected', reason: 'bad', authenticator: 'test' };
  room.authorize = () => ({ decision: 'allow', reason: '' });
}
afterEach(async () => {
  await room.close();
  await folder.remove();
});

interface Outcome {
  readonly code: number | undefined;
  readonly headers: IncomingHttpHeaders;
}

function get(localAddress: string, token?: string, agent: Agent | false = false): Promise<Outcome> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const target = { host: '127.0.0.1', port: room.server.port, path: '/version', localAddress, agent };
  return new Promise((resolve, reject) => {
    const req = request({ ...target, headers, ca: room.authority.ca }, (res) => {
      res.resume().once('end', () => {
        resolve({ code: res.statusCode, headers: res.headers });
      });
    });
    req.once('error', reject);
    req.end();
  });
}

async function flood(agent: Agent | false = false): Promise<void> {
  for (let i = 0; i < burst; i += 1) expect((await get(attacker, 'bad', agent)).code).toBe(401);
}

test('credentials that were good before go on from the same address, over new connections too', async () => {
  expect((await get(attacker, 'good')).code).toBe(200);
  await flood();
  expect((await get(attacker, 'bad')).code).toBe(429);
  expect((await get(attacker, 'good')).code).toBe(200);
});

test('credentials that are good no longer lose that', async () => {
  const { authenticate } = room;
  expect((await get(attacker, 'good')).code).toBe(200);
  room.authenticate = (facts) =>
    facts.headers.authorization === undefined
      ? authenticate(facts)
      : { outcome: 'rejected', reason: 'bad', authenticator: 'test' };
  await flood();
  expect((await get(attacker, 'good')).code).toBe(401);
  expect((await get(attacker, 'good')).code).toBe(429);
});

test('beyond the limit an address is 429 before any authenticator runs', async () => {
  await flood();
  const before = room.asked.length;
  const refused = await get(attacker, 'bad');
  expect(refused.code).toBe(429);
  expect(refused.headers['retry-after']).toBe('1');
  expect(room.asked.length).toBe(before);
  expect(await room.metrics.text()).toMatch(/^apiserver_throttled_authentications_total 1$/m);
});

test('other addresses, and requests without a token, are served on', async () => {
  await flood();
  expect((await get(other, 'good')).code).toBe(200);
  expect((await get(other, 'bad')).code).toBe(401);
  expect((await get(attacker)).code).toBe(200);
});

test('a connection over which good tokens come is served on, until a bad one comes', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect((await get(attacker, 'good', agent)).code).toBe(200);
  await flood();
  expect((await get(attacker, 'good', agent)).code).toBe(200);
  expect((await get(attacker, 'unseen')).code).toBe(429);
  expect((await get(attacker, 'unseen', agent)).code).toBe(200);
  expect((await get(attacker, 'bad', agent)).code).toBe(401);
  expect((await get(attacker, 'bad', agent)).code).toBe(429);
  agent.destroy();
});

test('of several serving threads each lets an address try its part of the limit: together they let it try no more', async () => {
  await room.close();
  await open(4);
  for (let i = 0; i < 3; i += 1) expect((await get(attacker, 'bad')).code).toBe(401);
  expect((await get(attacker, 'bad')).code).toBe(429);
  expect((await get(other, 'bad')).code).toBe(401);
});
