/** Clients of HTTP/2 that do not acknowledge the settings (RFC 9113, section 6.5.3): neither side heeds them until then. */
import { podEntry } from '../../support/http/fake-verbs.ts';
import { getFrame, Http2Peer } from '../../support/http/http2-peer.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const pod = '/api/v1/namespaces/x/pods/a';
const settingsTimeout = 4;
const patience = { handshakeMs: 3_000, headersMs: 30_000, requestMs: 30_000, checkMs: 50 };

let folder: TempFolder;
let room: HttpRoom;
let peer: Http2Peer;

async function open(settingsMs: number, acknowledges: boolean): Promise<void> {
  room = await openRoom(folder.path, {}, { ...patience, settingsMs });
  room.verbs.entries = [podEntry('a', 1)];
  peer = await Http2Peer.open(room.server.port, room.authority.ca, undefined, { acknowledges });
}

beforeAll(async () => (folder = await makeTempFolder('http2-settings')));
afterAll(() => folder.remove());
afterEach(async () => {
  room.verbs.before = () => Promise.resolve();
  peer.close();
  await room.close();
});

/** Streams of that many requests, from a place on. */
const streams = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => 2 * (from + i) + 1);

async function ask(from: number, count: number): Promise<void> {
  peer.send(...streams(from, count).map((stream) => getFrame(stream, pod)));
  await waitFor('the answers', () => peer.isClosed || peer.of('headers').length === from + count);
}

test('are ended after a time, also while they wait for an answer', async () => {
  await open(200, false);
  room.verbs.before = () => new Promise(() => undefined);
  peer.send(getFrame(1, pod));
  await waitFor('the end of the connection', () => peer.isClosed);
  expect(peer.goAwayCode).toBe(settingsTimeout);
});

test.each([false, true])('have some hundred requests (acknowledged: %s)', async (acknowledges) => {
  await open(30_000, acknowledges);
  for (let from = 0; from < 500; from += 50) await ask(from, 50);
  expect(peer.isClosed).toBe(false);
  await ask(500, 1);
  expect(peer.isClosed).toBe(!acknowledges);
  // Where it ends within a read, Node may not say why.
  if (peer.goAwayCode !== undefined) expect(peer.goAwayCode).toBe(settingsTimeout);
});
