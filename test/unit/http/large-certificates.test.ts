/** What a client shows of certificates in a handshake is bounded before it is judged: anyone may show some of their own. */
import { constrainedChain } from '../../support/constrained-chain.ts';
import { cpuMsSince, moment } from '../../support/cpu-time.ts';
import type { HttpRoom } from '../../support/http/room.ts';
import { openRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const patience = { handshakeMs: 10_000, headersMs: 30_000, requestMs: 60_000, checkMs: 5_000 };
const limits = { max: 100, maxPerAddress: 100 };

let folder: TempFolder;
let room: HttpRoom;

beforeEach(async () => {
  folder = await makeTempFolder('large-certificates');
  room = await openRoom(folder.path, {}, patience, limits);
});
afterEach(async () => {
  await room.close();
  await folder.remove();
});

test('60 KB of certificates with many names and constraints are cut off, before they are compared', async () => {
  const client = await constrainedChain({ names: 2_000, authorities: 20, constraints: 230 });
  const begin = moment();
  await expect(room.ask('/livez', { client })).rejects.toThrow(/ECONNRESET|socket hang up|EPIPE/);
  expect(cpuMsSince(begin)).toBeLessThan(400);
});

test('chains of 8 KB are accepted, and judged by who authenticates', async () => {
  const client = await constrainedChain({ names: 10, authorities: 20, constraints: 1 });
  expect(client.cert.length).toBeGreaterThan(10_000);
  expect((await room.ask('/livez', { client })).code).toBe(200);
});
