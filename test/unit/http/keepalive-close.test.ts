/** A stop loses no request of clients that keep their connections of HTTP/1.1 and send one request behind the other. */
import { once } from 'node:events';
import { Agent, get } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { connect, type TLSSocket } from 'node:tls';
import { podEntry } from '../../support/http/fake-verbs.ts';
import type { HttpRoom } from '../../support/http/room.ts';
import { openRoom, readAnswer } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const pods = '/api/v1/namespaces/x/pods';
const clientCount = 30;
let folder: TempFolder;
let room: HttpRoom;

beforeEach(async () => {
  folder = await makeTempFolder('keepalive-close');
  room = await openRoom(folder.path);
  room.verbs.entries = [podEntry('a', 1)];
});
afterEach(async () => {
  await room.close();
  await folder.remove();
});

interface Loop {
  answers: number;
  /** With which it ended. */
  readonly error: Promise<unknown>;
}

function ask(agent: Agent, path: string): Promise<IncomingMessage> {
  const { server, authority } = room;
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port: server.port, ca: authority.ca, agent, path }, resolve).once(
      'error',
      reject,
    );
  });
}

/** One request behind the other over one connection, or over the next one where that is closed. */
function loop(): Loop {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const state = { answers: 0 };
  const run = async (): Promise<never> => {
    for (;;) {
      await readAnswer(await ask(agent, `${pods}/a`));
      state.answers += 1;
    }
  };
  const error = run().catch((thrown: unknown) => {
    agent.destroy();
    return thrown;
  });
  return Object.assign(state, { error });
}

test('clients that send one request behind the other get an answer to each, until no connection is accepted', async () => {
  const loops = Array.from({ length: clientCount }, loop);
  await waitFor('their answers', () => loops.every(({ answers }) => answers > 3), { interval: 1 });
  const closed = room.server.close(10_000);
  const errors = await Promise.all(loops.map(({ error }) => error));
  await within('the close', 5_000, closed);
  expect(errors.map((error) => (error as NodeJS.ErrnoException).code)).toEqual(
    loops.map(() => 'ECONNREFUSED'),
  );
});

test('a connection whose answer began before the stop has one more request, and is told that it closes', async () => {
  room.verbs.entries = Array.from({ length: 2_000 }, (_, i) => podEntry(`p${String(i)}`, i + 1, 10_000));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const list = await ask(agent, pods);
  const closed = room.server.close(10_000);
  await readAnswer(list);
  const { code, headers } = await readAnswer(await ask(agent, `${pods}/p1`));
  expect([code, headers.connection]).toEqual([200, 'close']);
  await within('the close', 5_000, closed);
  agent.destroy();
});

test('connections on which nothing comes end soon, also those whose handshake ends later', async () => {
  const connections: TLSSocket[] = [];
  const connected = (): Promise<unknown> => {
    const { server, authority } = room;
    const socket = connect({ host: '127.0.0.1', port: server.port, ca: authority.ca }).resume();
    connections.push(socket);
    return once(socket, 'secureConnect');
  };
  await connected();
  const later = connected();
  await once(connections[1] as TLSSocket, 'connect');
  const ends = connections.map((socket) => once(socket, 'end'));
  await within('the close', 5_000, room.server.close(60_000));
  await Promise.all([later, ...ends]);
});
