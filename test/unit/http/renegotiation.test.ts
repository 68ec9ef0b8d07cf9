/** A second handshake on a connection (TLS 1.2) would be read by Node, without a bound on its certificates. */
import { connect, type TLSSocket } from 'node:tls';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let folder: TempFolder;
let room: HttpRoom;

beforeEach(async () => {
  folder = await makeTempFolder('renegotiation');
  room = await openRoom(folder.path);
});
afterEach(async () => {
  await room.close();
  await folder.remove();
});

/** How a second handshake ends, which the client begins. */
function renegotiated(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('error', (error) => {
      resolve(error.message);
    });
    socket.once('secureConnect', () => {
      socket.renegotiate({}, (error) => {
        resolve(error?.message ?? 'done');
      });
    });
    socket.resume();
  });
}

test('a client cannot begin a second handshake', async () => {
  const { port } = room.server;
  const socket = connect({ host: '127.0.0.1', port, ca: room.authority.ca, maxVersion: 'TLSv1.2' });
  expect(await renegotiated(socket)).toMatch(/no renegotiation/);
  socket.destroy();
});
