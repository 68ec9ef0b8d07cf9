/** Clients of HTTP/2 that send or read nothing more: the server ends them at its deadlines. */
import { flag, frame, frameType } from '../../../src/storage/etcd/http2/frames.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import { getFrame, Http2Peer, requestBlock } from '../../support/http/http2-peer.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const pods = '/api/v1/namespaces/x/pods';
const patience = { handshakeMs: 3_000, headersMs: 500, requestMs: 1_000, checkMs: 50, idleMs: 300 };
const headType = { type: frameType.headers, flags: flag.endStream, stream: 1 };
const halfHead = frame(headType, requestBlock('GET', pods).subarray(0, 20));

let folder: TempFolder;
let room: HttpRoom;

beforeAll(async () => {
  folder = await makeTempFolder('http2-deadlines');
  room = await openRoom(folder.path, { requestTimeoutMs: 1_500 }, patience);
  room.verbs.entries = [podEntry('a', 1)];
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});

test('a response that the client does not read ends at the deadline', async () => {
  const slow = await Http2Peer.open(room.server.port, room.authority.ca, 0);
  slow.send(getFrame(1, `${pods}/a`), getFrame(3, pods));
  await waitFor('the resets', () => slow.of('reset').length === 2);
  expect(slow.of('headers').length).toBe(2);
  slow.close();
});

test.each([
  ['nothing after the preface', []],
  ['half a head', [halfHead]],
])('%s: closed when the keepalive timeout is over', async (_what, frames) => {
  const peer = await Http2Peer.open(room.server.port, room.authority.ca);
  // Nothing may come between the frames.
  await waitFor('the settings of both', () => peer.of('settings').length === 2);
  peer.send(...frames);
  await waitFor('the end of the connection', () => peer.isClosed);
  if (peer.goAwayCode !== undefined) expect(peer.goAwayCode).toBe(0);
  peer.close();
});
