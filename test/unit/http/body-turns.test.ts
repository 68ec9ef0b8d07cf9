/** Bodies that end in one turn of the event loop are worked on in several. */
import { IncomingMessage } from 'node:http';
import { connect as connectStreams } from 'node:http2';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { holdThread, TurnCounts } from '../../support/turn-counts.ts';
import { waitFor } from '../../support/wait-for.ts';

const workMs = 6;
const count = 40;
const few = 12;

describe('of a server', () => {
  const path = '/api/v1/namespaces/x/pods';
  const body = '{"metadata":{"name":"a"}}';
  const large = `${body.slice(0, -1)}${' '.repeat(1_000_000)}}`;
  let folder: TempFolder;
  let room: HttpRoom;
  let turns: TurnCounts;
  let joins: TurnCounts;

  beforeAll(async () => {
    folder = await makeTempFolder('body-turns');
    room = await openRoom(folder.path);
    room.verbs.before = () => {
      turns.note();
      holdThread(workMs);
      return Promise.resolve();
    };
  });
  beforeEach(() => {
    turns = new TurnCounts();
    joins = new TurnCounts();
  });
  afterEach(() => {
    turns.end();
    joins.end();
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await room.close();
    await folder.remove();
  });

  test('bodies of many connections', async () => {
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const sockets = Array.from({ length: count }, () => room.raw(`${head}${body.slice(0, -1)}`));
    const begun = room.asked.length + count;
    await waitFor('all heads to arrive', () => room.asked.length >= begun);
    for (const socket of sockets) socket.write(body.slice(-1));
    await waitFor('all bodies to be worked on', () => turns.all === count);
    for (const socket of sockets) socket.destroy();
    expect(turns.most).toBeLessThanOrEqual(3);
  });

  test('pieces of large bodies are joined in those turns, too', async () => {
    const concat = Buffer.concat.bind(Buffer);
    jest.spyOn(Buffer, 'concat').mockImplementation((pieces, length) => {
      const whole = concat(pieces, length);
      if (whole.length === large.length) joins.note();
      return whole;
    });
    const push = jest.spyOn(IncomingMessage.prototype, 'push');
    const read = (): number =>
      push.mock.calls.reduce((sum, [piece]) => sum + ((piece as Buffer | null)?.length ?? 0), 0);
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${large.length}\r\n\r\n`;
    const sockets = Array.from({ length: few }, () => room.raw(`${head}${large.slice(0, -1)}`));
    await waitFor('all but the last bytes', () => read() === few * (large.length - 1));
    for (const socket of sockets) socket.write(large.slice(-1));
    // They are worked on behind that: what is left of it would be counted in the next test.
    await waitFor('all bodies to be worked on', () => turns.all === few);
    expect(joins.all).toBe(few);
    for (const socket of sockets) socket.destroy();
    expect(joins.most).toBeLessThanOrEqual(5);
  });

  test('bodies of a connection of HTTP/2', async () => {
    const session = connectStreams(`https://127.0.0.1:${room.server.port}`, { ca: room.authority.ca });
    const begun = room.asked.length + count;
    const streams = Array.from({ length: count }, () => {
      const stream = session.request({
        ...{ ':method': 'POST', ':path': path, 'content-type': 'application/json' },
      });
      stream.write(body.slice(0, -1));
      return stream;
    });
    await waitFor('all heads to arrive', () => room.asked.length >= begun);
    for (const stream of streams) stream.end(body.slice(-1));
    await waitFor('all bodies to be worked on', () => turns.all === count);
    session.destroy();
    expect(turns.most).toBeLessThanOrEqual(3);
  });
});
