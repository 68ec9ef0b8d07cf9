/** Bodies of HTTP/2 that many clients send at once are read over several turns of the event loop. */
import { once } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import { createHttpServer, type Handler, type HttpServer } from '../../../src/http/server.ts';
import { SessionReading } from '../../../src/http/http2/session-reading.ts';
import type { Logger } from '../../../src/observe/log.ts';
import { makeAuthority, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor } from '../../support/wait-for.ts';

/** As much as a window of HTTP/2 takes at once. */
const body = Buffer.alloc(65_000, ' ');
const connections = 80;
let folder: TempFolder;
let authority: TestAuthority;
let server: HttpServer;

beforeAll(async () => {
  folder = await makeTempFolder('http2-bodies');
  authority = await makeAuthority(folder.path, 'http2 bodies');
  const handler: Handler = Object.assign(
    ((req, res) => {
      req.resume().on('end', () => res.end('read'));
    }) satisfies (...args: Parameters<Handler>) => void,
    { drain: () => undefined },
  );
  const { cert, key } = await authority.server('bodies');
  const logger = { debug: () => undefined } as unknown as Logger;
  server = await createHttpServer({ host: '127.0.0.1', port: 0, tls: { cert, key }, handler, logger });
});
afterAll(async () => {
  await server.close(0);
  await folder.remove();
});

test('about a megabyte in a turn', async () => {
  const sessions = Array.from({ length: connections }, () => {
    return connect(`https://127.0.0.1:${String(server.port)}`, { ca: authority.ca });
  });
  await Promise.all(sessions.map((session) => once(session, 'remoteSettings')));
  const pieces = jest.spyOn(SessionReading.prototype as unknown as Pieces, 'notePiece');
  let [all, most, isOver] = [0, 0, false];
  const nextTurn = (): void => {
    const now = pieces.mock.calls.reduce((sum, [piece]) => sum + (piece?.length ?? 0), 0);
    pieces.mockClear();
    all += now;
    most = Math.max(most, now);
    if (!isOver) setImmediate(nextTurn);
  };
  nextTurn();
  const answers = sessions.map(answerOf);
  await waitFor('all bodies', () => all === connections * body.length);
  await Promise.all(answers);
  isOver = true;
  for (const session of sessions) session.destroy();
  expect(most).toBeGreaterThan(body.length);
  // Each of them sends 65 KB, 5.2 MB together.
  expect(most).toBeLessThan(1.5 * 1024 * 1024);
});

interface Pieces {
  notePiece(piece: Uint8Array | null): void;
}

async function answerOf(session: ClientHttp2Session): Promise<void> {
  const stream = session.request({ ':method': 'POST', ':path': '/' });
  stream.end(body);
  await once(stream.resume(), 'end');
}
