/** Requests that ask for another protocol: the same filters as for all others, and a connection that is taken over. */
import { connect, type TLSSocket } from 'node:tls';
import type { PlainRoute } from '../../../src/http/plain/plain-route.ts';
import type { ConnectionLimits } from '../../../src/http/connection-gate.ts';
import type { TakenConnection } from '../../../src/http/upgrade.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const switching = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n';

/** Answers in capital letters, whatever is sent. */
function shout({ socket, head }: TakenConnection): void {
  socket.write(switching);
  socket.write(head.toString().toUpperCase());
  socket.on('data', (chunk: Buffer) => socket.write(chunk.toString().toUpperCase()));
  socket.on('end', () => socket.end());
}

const routes: PlainRoute[] = [
  {
    path: '/echo',
    serve: (context) => {
      shout(context.takeConnection());
    },
  },
  {
    path: '/broken',
    serve: (context) => {
      context.takeConnection();
      throw new Error('broken after the connection was taken');
    },
  },
];

let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let room: HttpRoom;
const sockets: TLSSocket[] = [];

beforeEach(async () => {
  folder = await makeTempFolder('upgrade');
  await open();
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await room.close();
  await folder.remove();
});

async function open(limits?: ConnectionLimits): Promise<void> {
  const isPassedOn = ({ path }: { path: string }): boolean => path === '/echo' || path === '/broken';
  room = await openRoom(folder.path, { plainRoutes: routes, isPassedOn }, undefined, limits);
  room.verbs.entries = [podEntry('a', 1)];
}

interface Talk {
  readonly socket: TLSSocket;
  readonly said: () => string;
  readonly isOver: () => boolean;
}

/** Opens a connection, sends these bytes and gathers what comes back. */
function talk(bytes: string): Talk {
  let said = '';
  let isOver = false;
  const socket = connect({ host: '127.0.0.1', port: room.server.port, ca: room.authority.ca });
  sockets.push(socket);
  socket.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')));
  socket.on('error', () => undefined).on('close', () => (isOver = true));
  socket.write(bytes);
  return { socket, said: () => said, isOver: () => isOver };
}

function asking(path: string, more = 'Host: x\r\n'): string {
  return `GET ${path} HTTP/1.1\r\n${more}Connection: Upgrade\r\nUpgrade: echo\r\n\r\n`;
}

function bodyOf(said: string): { code: number } {
  return JSON.parse(said.slice(said.indexOf('\r\n\r\n'))) as { code: number };
}

describe('a connection that is taken over', () => {
  test('carries bytes both ways, those that came with the request included', async () => {
    const { socket, said, isOver } = talk(`${asking('/echo')}early`);
    await waitFor('what came early', () => said() === `${switching}EARLY`);
    socket.write(' and late');
    await waitFor('the rest', () => said().endsWith('EARLY AND LATE'));
    socket.end();
    await waitFor('the end', isOver);
    expect(room.asked).toHaveLength(1);
  });

  test('is counted with the code 101 when it ends', async () => {
    const { socket, said } = talk(asking('/echo'));
    await waitFor('the answer', () => said() === switching);
    expect(await room.metrics.text()).not.toMatch(/apiserver_request_total\{[^}]*code="101"/);
    socket.end();
    await waitFor('the count', async () =>
      /apiserver_request_total\{[^}]*code="101"[^}]*\} 1/.test(await room.metrics.text()),
    );
  });

  test('ends when its handler fails, without an answer in the middle', async () => {
    const { said, isOver } = talk(asking('/broken'));
    await waitFor('the end', isOver);
    expect(said()).toBe('');
    expect(room.logs).toContainEqual(expect.objectContaining({ message: 'a request failed' }));
  });

  test('lasts until the grace period of a stop is over', async () => {
    const { socket, said, isOver } = talk(asking('/echo'));
    await waitFor('the answer', () => said() === switching);
    const stopped = room.server.close(1_000);
    socket.write('still there');
    await waitFor('an echo during the stop', () => said().endsWith('STILL THERE'));
    await stopped;
    await waitFor('the end', isOver);
  });

  test('counts among the connections of its address', async () => {
    await room.close();
    await open({ max: 0, maxPerAddress: 1 });
    room.authenticate = () => ({
      outcome: 'authenticated',
      user: { name: 'tester', uid: '', groups: [], extra: {} },
      authenticator: 'test',
    });
    const first = talk(asking('/echo'));
    await waitFor('the answer', () => first.said() === switching);
    const second = talk(asking('/echo'));
    await waitFor('the refusal', second.isOver);
    expect(second.said()).toBe('');
    first.socket.end();
    await waitFor('the end of the first', first.isOver);
    await waitFor('room for another one', async () => {
      const { said, isOver } = talk(asking('/echo'));
      await waitFor('an answer or the end', () => isOver() || said() !== '');
      return said() === switching;
    });
  });
});

describe('a refused request', () => {
  const refusals: [string, number, () => void][] = [
    ['without credentials', 401, () => (room.authenticate = () => undefined)],
    ['without permission', 403, () => (room.authorize = () => ({ decision: 'noOpinion', reason: '' }))],
  ];
  test.each(refusals)('%s gets %i, then the connection ends', async (_how, code, prepare) => {
    prepare();
    const { said, isOver } = talk(`${asking('/echo')}what is left`);
    await waitFor('the end', isOver);
    expect(said()).toMatch(new RegExp(`^HTTP/1.1 ${String(code)} `));
    expect(said()).toMatch(/^Audit-Id: /m);
    expect(said()).toMatch(/^Connection: close\r$/m);
    expect(bodyOf(said())).toMatchObject({ kind: 'Status', code });
  });

  test('without a Host gets 400', async () => {
    const { said, isOver } = talk(asking('/echo', ''));
    await waitFor('the end', isOver);
    expect(bodyOf(said())).toMatchObject({ code: 400 });
    expect(room.asked).toHaveLength(0);
  });
});

describe('behind a request with which the connection ends', () => {
  const refused: readonly [string, string][] = [
    ['GET /livez HTTP/1.1\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    ['GET /livez HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n', 'HTTP/1.1 417 Expectation Failed'],
  ];
  const behind: readonly [string, string][] = [
    ['another protocol', asking('/echo')],
    ['a tunnel', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ];

  test.each(behind)('nobody gets %s', async (_what, bytes) => {
    for (const [first, answer] of refused) {
      const { said, isOver } = talk(first + bytes);
      await waitFor('the end', isOver);
      expect(said().startsWith(answer)).toBe(true);
      expect(said().match(/HTTP\/1.1 /g)).toHaveLength(1);
    }
  });
});

test('a tunnel is not refused in the middle of another answer', async () => {
  const { said, isOver } = talk(
    'GET /api/v1/namespaces/x/pods?watch=1 HTTP/1.1\r\nHost: x\r\n\r\nCONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
  );
  await waitFor('the end', isOver);
  expect(said()).not.toContain('405');
});

describe('is served as if it asked for no other protocol', () => {
  test('a request for something that is only read; its connection can be used again', async () => {
    const { socket, said } = talk(asking('/api/v1/namespaces/x/pods/a'));
    await waitFor('the answer', () => said().includes('"uid-a"'));
    socket.write('GET /api/v1/namespaces/x/pods/b HTTP/1.1\r\nHost: x\r\n\r\n');
    await waitFor('another answer', () => said().includes('HTTP/1.1 404'));
    expect(said()).toMatch(/^HTTP\/1.1 200 OK/);
  });

  test('a request with a body, as what follows would not be of the other protocol', async () => {
    const { said } = talk(asking('/echo', 'Host: x\r\nContent-Length: 2\r\n') + 'ab');
    await waitFor('the answer', () => said().includes('HTTP/1.1 500'));
  });

  const next = 'GET /api/v1/namespaces/x/pods/b HTTP/1.1\r\nHost: x\r\n\r\n';
  const declined = asking('/api/v1/namespaces/x/pods/a');
  test.each([
    ['one', declined + next, ['200 OK', '404 Not Found']],
    ['several', declined + declined + next + declined, ['200 OK', '200 OK', '404 Not Found', '200 OK']],
  ])('what comes in the same read behind it: %s', async (_what, bytes, answers) => {
    const { said } = talk(bytes);
    await waitFor('the answers', () => said().match(/(?<=HTTP\/1.1 )\d+ .*/g)?.length === answers.length);
    expect(said().match(/(?<=HTTP\/1.1 )\d+ [^\r]*/g)).toEqual(answers);
  });

  test('bytes behind it that are no request end the connection', async () => {
    const [atOnce, later] = [talk(`${declined}GARBAGE\r\n\r\n`), talk(declined)];
    await waitFor('the end', atOnce.isOver);
    await waitFor('the answer', () => later.said().includes('"uid-a"'));
    later.socket.write('GARBAGE\r\n\r\n');
    await waitFor('the end of the other one', later.isOver);
  });

  test('a request with a body that comes later, together with another request', async () => {
    const { socket, said } = talk(asking('/echo', 'Host: x\r\nContent-Length: 2\r\n'));
    await waitFor('the head to be read', () => room.asked.length === 1);
    socket.write(`ab${next}`);
    await waitFor('both answers', () => said().match(/HTTP\/1.1 (500|404)/g)?.length === 2);
  });

  test('a request behind one that is not answered yet', async () => {
    const release = Promise.withResolvers<undefined>();
    room.verbs.before = () => release.promise.then(() => undefined);
    const { said } = talk(`GET /api/v1/namespaces/x/pods/a HTTP/1.1\r\nHost: x\r\n\r\n${asking('/echo')}`);
    await waitFor('the first to run', () => room.verbs.calls.length === 1);
    release.resolve(undefined);
    await waitFor('both answers', () => said().includes('HTTP/1.1 500'));
    expect(said()).toMatch(/^HTTP\/1.1 200 OK/);
  });
});
