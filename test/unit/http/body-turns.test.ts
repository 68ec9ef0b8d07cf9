/** Bodies that end in one turn of the event loop are worked on in several. */
import { connect as connectStreams } from 'node:http2';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BodyTurns } from '../../../src/http/body-turns.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const workMs = 6;
const count = 40;

function holdThread(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Counts what is done in each turn of the event loop. */
class Turns {
  most = 0;
  all = 0;
  #now = 0;
  #timer = setImmediate(() => this.#next());

  note(): void {
    this.all += 1;
    this.#now += 1;
    this.most = Math.max(this.most, this.#now);
  }

  end(): void {
    clearImmediate(this.#timer);
  }

  #next(): void {
    this.#now = 0;
    this.#timer = setImmediate(() => this.#next());
  }
}

test('the first of a turn goes on at once; those behind it do, a few in a turn, users in turn', async () => {
  const turns = new BodyTurns();
  const done: string[] = [];
  const work = async (user: string): Promise<void> => {
    await turns.begin(user);
    done.push(user);
    holdThread(workMs);
  };
  for (const user of ['many', 'many', 'many', 'many', 'other']) void work(user);
  await Promise.resolve();
  expect(done).toEqual(['many']);
  for (let before = done.length; before < 5; before = done.length) {
    await nextTurn();
    expect(done.length - before).toBeLessThanOrEqual(1);
  }
  expect(done.indexOf('other')).toBeLessThanOrEqual(2);
  await nextTurn();
  expect(turns.begin('many')).toBeUndefined();
});

describe('of a server', () => {
  const path = '/api/v1/namespaces/x/pods';
  const body = '{"metadata":{"name":"a"}}';
  let folder: TempFolder;
  let room: HttpRoom;
  let turns: Turns;

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
    turns = new Turns();
  });
  afterEach(() => {
    turns.end();
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
