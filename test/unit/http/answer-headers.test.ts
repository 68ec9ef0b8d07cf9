/** Headers that every answer carries, whoever gives it; and bodies that are refused for how they are packed. */
import { gzipSync } from 'node:zlib';
import { connect } from 'node:tls';
import { tooManyRequests } from '../../../src/meta/status.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import { openRoom, type Ask, type HttpRoom } from '../../support/http/room.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { within } from '../../support/wait-for.ts';

const pods = '/api/v1/namespaces/x/pods';
let folder: TempFolder;
let room: HttpRoom;

beforeAll(async () => {
  folder = await makeTempFolder('answer-headers');
  room = await openRoom(folder.path);
});
afterAll(async () => {
  await room.close();
  await folder.remove();
});
beforeEach(() => {
  room.verbs.entries = [podEntry('a', 1)];
  room.verbs.error = undefined;
});

const withType = { 'content-type': 'application/json' };
const answers: [code: number, path: string, ask?: Ask][] = [
  [200, `${pods}/a`],
  [200, pods],
  [200, pods, { headers: { accept: 'application/json;as=Table;g=meta.orch.io;v=v1' } }],
  [200, '/api'],
  [200, '/apis'],
  [200, '/version'],
  [200, '/livez'],
  [200, '/metrics'],
  [200, '/'],
  [404, '/livez/nope'],
  [404, `${pods}/missing`],
  [404, '/nothing/of/the/kind'],
  [405, '/version', { method: 'POST' }],
  [415, pods, { method: 'POST', body: '{}', headers: { 'content-type': 'text/html' } }],
  [400, pods, { method: 'POST', body: '{', headers: withType }],
  [417, pods, { headers: { expect: 'the-unexpected' } }],
];

test.each(answers)('%i for %s', async (code, path, ask = {}) => {
  const answer = await room.ask(path, ask);
  expect([answer.code, answer.headers['x-content-type-options'], answer.headers['cache-control']]).toEqual([
    code,
    'nosniff',
    'no-cache, private',
  ]);
});

test('401, 403, 429, and a watch', async () => {
  const heads = async (path = `${pods}/a`): Promise<unknown[]> => {
    const response = await room.open(path);
    response.destroy();
    const { 'x-content-type-options': type, 'cache-control': cache } = response.headers;
    return [response.statusCode, type, cache];
  };
  expect(await heads(`${pods}?watch=1`)).toEqual([200, 'nosniff', 'no-cache, private']);
  const { authenticate, authorize } = room;
  room.authenticate = () => undefined;
  expect(await heads()).toEqual([401, 'nosniff', 'no-cache, private']);
  room.authenticate = authenticate;
  room.authorize = () => ({ decision: 'noOpinion', reason: '' });
  expect(await heads()).toEqual([403, 'nosniff', 'no-cache, private']);
  room.authorize = authorize;
  room.verbs.error = tooManyRequests('too many', 1);
  expect(await heads()).toEqual([429, 'nosniff', 'no-cache, private']);
});

test('what is no request at all', async () => {
  const socket = connect({ host: '127.0.0.1', port: room.server.port, ca: room.authority.ca });
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.end('no request\r\n\r\n');
  await within('the refusal', 5_000, new Promise((resolve) => socket.once('close', resolve)));
  expect(text).toMatch(
    /^HTTP\/1.1 400 [^]*\r\nCache-Control: no-cache, private\r\n[^]*X-Content-Type-Options: nosniff\r\n/,
  );
});

describe('a packed body', () => {
  const body = gzipSync(JSON.stringify({ metadata: { name: 'a' } }));
  const packed = (encoding: string): Record<string, string> => ({
    ...withType,
    'content-encoding': encoding,
  });

  test.each([
    ['POST', pods, 'gzip'],
    ['PUT', `${pods}/a`, 'deflate'],
    ['DELETE', `${pods}/a`, 'br'],
    ['DELETE', pods, 'gzip, identity'],
    ['POST', pods, 'x-made-up'],
  ])('%s %s with %s is refused unread', async (method, path, encoding) => {
    const calls = room.verbs.calls.length;
    const answer = await room.ask(path, { method, body, headers: packed(encoding) });
    expect([answer.code, answer.json()['reason']]).toEqual([415, 'UnsupportedMediaType']);
    expect(answer.json()['message']).toContain(`Content-Encoding "${encoding}"`);
    expect(room.verbs.calls).toHaveLength(calls);
  });

  test.each(['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'])(
    'a patch of %s, too',
    async (type) => {
      const headers = { 'content-type': type, 'content-encoding': 'gzip' };
      const path = `${pods}/a?fieldManager=m`;
      expect((await room.ask(path, { method: 'PATCH', body, headers })).code).toBe(415);
    },
  );

  test('a client that waits for 100 Continue does not get it', async () => {
    const headers = { ...packed('gzip'), expect: '100-continue' };
    expect((await room.ask(pods, { method: 'POST', body, headers })).code).toBe(415);
  });

  test('identity is no packing, and nothing cannot be packed', async () => {
    const plain = JSON.stringify({ metadata: { name: 'a' } });
    const headers = packed('Identity');
    expect((await room.ask(pods, { method: 'POST', body: plain, headers })).code).toBe(201);
    expect((await room.ask(`${pods}/a`, { method: 'DELETE', headers: packed('gzip') })).code).toBe(200);
    expect((await room.ask(`${pods}/a`, { headers: packed('gzip') })).code).toBe(200);
  });
});
