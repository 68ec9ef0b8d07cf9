/** Many large responses that end at once are not parsed in one turn of the event loop. */
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { HttpsTransport } from '../../../src/webhook/https-transport.ts';
import { makeAuthority, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const calls = 40;
const answer = JSON.stringify({ groups: Array.from({ length: 40_000 }, (_, i) => `group-${String(i)}`) });

let folder: TempFolder;
let authority: TestAuthority;
let server: Server;
/** Each lacks its last byte, until all do. */
const unfinished: ServerResponse[] = [];

beforeAll(async () => {
  folder = await makeTempFolder('large-answers');
  authority = await makeAuthority(folder.path);
  const { cert, key } = await authority.server('large');
  server = createServer({ cert, key }, (request, response) => {
    request.resume();
    response.write(answer.slice(0, -1), () => {
      if (unfinished.push(response) === calls) finish();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await folder.remove();
});

function finish(): void {
  for (const response of unfinished) response.end(answer.slice(-1));
}

test('few of them are parsed in a turn', async () => {
  const url = new URL(`https://127.0.0.1:${String((server.address() as AddressInfo).port)}/path`);
  const ca = Buffer.from(authority.ca);
  const transport = new HttpsTransport(
    { server: url, ca, cert: undefined, key: undefined, token: '' },
    systemEnvironment,
  );
  let turn = 0;
  let isDone = false;
  const count = (): void => {
    turn += 1;
    if (!isDone) setImmediate(count);
  };
  count();
  const ends = await Promise.all(
    Array.from({ length: calls }, async () => {
      await transport.json({ method: 'POST', path: '/path', body: {} }, AbortSignal.timeout(60_000));
      return turn;
    }),
  );
  isDone = true;
  transport.close();
  const most = Math.max(...ends.map((end) => ends.filter((other) => other === end).length));
  expect(most).toBeLessThan(calls / 2);
});
