/** The second port of the server, for health checks: the same API, and it closes with the first. */
import { get } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { createHttpServer } from '../../../src/http/server.ts';
import { createLogger } from '../../../src/observe/log.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { openRoom, readAnswer, type Answer, type HttpRoom } from '../../support/http/room.ts';
import { freePort } from '../../support/free-port.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { refusesConnections } from '../../support/refuses-connections.ts';

let folder: TempFolder;
let room: HttpRoom;
let healthCheckPort: number;

beforeEach(async () => {
  folder = await makeTempFolder('health-check-port');
  healthCheckPort = await freePort();
  room = await openRoom(folder.path, { healthCheckPort }, undefined, { max: 20, maxPerAddress: 10 });
});
afterEach(async () => {
  await room.close();
  await folder.remove();
});

function open(port: number, path: string): Promise<IncomingMessage> {
  const { ca } = room.authority;
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, ca, agent: false }, resolve).once('error', reject);
  });
}
const ask = async (path: string): Promise<Answer> => readAnswer(await open(healthCheckPort, path));

test('it answers as the first port does, by the same authorization', async () => {
  expect((await ask('/readyz')).text).toBe('ok');
  expect((await ask('/api/v1/namespaces/x/pods')).code).toBe(200);
  room.authorize = () => Promise.resolve({ decision: 'noOpinion', reason: '' });
  expect((await ask('/api/v1/namespaces/x/pods')).code).toBe(403);
});

test('the server is closed when nothing is open at either port', async () => {
  const watch = await open(healthCheckPort, '/api/v1/namespaces/x/pods?watch=true');
  const ended = new Promise((resolve) => watch.resume().once('close', resolve));
  await room.server.close(60_000);
  await ended;
  expect([await refusesConnections(healthCheckPort), await refusesConnections(room.server.port)]).toEqual([
    true,
    true,
  ]);
});

test('when its port is in use, nothing listens at the first one either', async () => {
  const port = await freePort();
  const { cert, key } = await room.authority.server('other');
  const handler = Object.assign(() => undefined, { drain: () => undefined });
  const logger = createLogger({ clock: systemClock, level: 'error' });
  const options = { host: '127.0.0.1', port, healthCheckPort, tls: { cert, key }, handler, logger };
  await expect(createHttpServer(options)).rejects.toMatchObject({
    code: 'EADDRINUSE',
    port: healthCheckPort,
  });
  expect(await refusesConnections(port)).toBe(true);
});
