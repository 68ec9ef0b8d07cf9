/** Connections that are overdue all at once, as those that began at once are: a few end in each turn of the event loop. */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import http2, { type ServerHttp2Session } from 'node:http2';
import type { Server } from 'node:https';
import { Duplex } from 'node:stream';
import { connect } from 'node:tls';
import { answerRefusals } from '../../../src/http/refusals.ts';
import { openRoom } from '../../support/http/room.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

const count = 100;
/** A few of both protocols. */
const mostOfATurn = 40;

/** The most that a counter grows by in one turn of the event loop, until it has grown by `count`. */
async function mostInATurn(counted: () => number): Promise<number> {
  let [before, most] = [0, 0];
  while (before < count) {
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, counted() - before);
    before = counted();
  }
  return most;
}

describe('HTTP/1.1', () => {
  const server = new EventEmitter();
  const answers = new Map<Duplex, ServerResponse>();
  answerRefusals(server as unknown as Server, {
    answering: (socket) => answers.get(socket),
    whenIdle: () => undefined,
  });
  const timeout = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const ways: readonly [string, (socket: Duplex) => boolean][] = [
    ['heads that do not arrive', (socket) => server.emit('clientError', timeout, socket)],
    ['idle connections', (socket) => server.emit('timeout', socket)],
  ];
  let ended = 0;

  function opened(): Duplex {
    const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    let isCounted = false;
    const note = (): void => {
      if (!isCounted) ended += 1;
      isCounted = true;
    };
    return socket.on('finish', note).on('close', note);
  }

  beforeEach(() => (ended = 0));

  test.each(ways)('%s', async (_what, tell) => {
    for (let i = 0; i < count; i += 1) tell(opened());
    expect(await mostInATurn(() => ended)).toBeLessThan(mostOfATurn);
  });

  test.each(ways)('%s: one of which a request has arrived meanwhile goes on', async (_what, tell) => {
    const [served, other] = [opened(), opened()];
    tell(served);
    tell(other);
    answers.set(served, {} as unknown as ServerResponse);
    await waitFor('the end of the other', () => ended > 0);
    expect([served.destroyed || served.writableEnded, ended]).toEqual([false, 1]);
  });
});

test('HTTP/2: connections without a request', async () => {
  const folder = await makeTempFolder('overdue');
  const patience = { handshakeMs: 30_000, headersMs: 50, requestMs: 60_000, checkMs: 5_000 };
  const limits = { max: 1_000, maxPerAddress: 1_000 };
  const room = await openRoom(folder.path, {}, patience, limits);
  const begin = http2.performServerHandshake;
  const sessions: ServerHttp2Session[] = [];
  const begun = jest.spyOn(http2, 'performServerHandshake').mockImplementation((...parts) => {
    const session = begin(...parts);
    sessions.push(session);
    return session;
  });
  const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';
  for (let i = 0; i < count; i += 1) {
    const target = { host: '127.0.0.1', port: room.server.port, ca: room.authority.ca };
    const socket = connect({ ...target, ALPNProtocols: ['h2'] }).on('error', () => undefined);
    socket.resume().write(preface);
  }
  const closed = (): number => sessions.filter((session) => session.closed).length;
  expect(await mostInATurn(closed)).toBeLessThan(mostOfATurn);
  begun.mockRestore();
  await room.close();
  await folder.remove();
});
