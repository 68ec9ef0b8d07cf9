/** Changes of keys (TLS 1.3) that clients send without end, and without credentials. */
import { cpuMsSince, moment } from '../../support/cpu-time.ts';
import { keyUpdates, shakeHands, type Shaken } from '../../support/key-updates.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let folder: TempFolder;
let room: HttpRoom;
const opened: Shaken[] = [];

beforeEach(async () => {
  folder = await makeTempFolder('key-changes');
  room = await openRoom(folder.path);
});
afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.destroy();
  await room.close();
  await folder.remove();
});

async function connected(protocol: string): Promise<Shaken> {
  const target = { port: room.server.port, ca: room.authority.ca };
  const connection = await shakeHands({ ...target, ALPNProtocols: [protocol] });
  opened.push(connection);
  return connection;
}

const mostTurns = 100_000;

/** Milliseconds of processor time of the longest turn until all of these are closed. */
async function longestTurn(connections: readonly Shaken[], records: readonly Buffer[]): Promise<number> {
  let longest = 0;
  let left = connections.length;
  for (const [i, { socket }] of connections.entries()) {
    socket.once('close', () => {
      left -= 1;
    });
    socket.write(records[i] ?? '');
  }
  let begin = moment();
  for (let turns = 0; left > 0; turns += 1) {
    if (turns > mostTurns) throw new Error(`${String(left)} connections are still open`);
    await new Promise(setImmediate);
    longest = Math.max(longest, cpuMsSince(begin));
    begin = moment();
  }
  return longest;
}

test.each(['http/1.1', 'h2'])(
  '%s: connections with thousands of them are read one in a turn, and end',
  async (protocol) => {
    const connections = await Promise.all(Array.from({ length: 20 }, () => connected(protocol)));
    const records = connections.map(({ secret }) => keyUpdates(2_400, secret));
    expect(await longestTurn(connections, records)).toBeLessThan(150);
  },
);

test('some of them end nothing', async () => {
  const { socket, secret } = await connected('http/1.1');
  let isClosed = false;
  socket.once('close', () => {
    isClosed = true;
  });
  socket.write(keyUpdates(50, secret));
  expect((await room.ask('/livez')).code).toBe(200);
  expect(isClosed).toBe(false);
});
