/** CORS and Strict-Transport-Security as flags ask for them. */
import { configFromFlags } from '../../../src/options/config-from-flags.ts';
import { anonymousUser } from '../../../src/meta/user.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { askStream, connectHttp2 } from '../../support/http/http2-client.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

const origin = 'https://console.example.com';
let folder: TempFolder;
let room: HttpRoom;
let plain: HttpRoom;

beforeAll(async () => {
  folder = await makeTempFolder('browser-rules');
  const { config, errors } = await configFromFlags({
    'cors-allowed-origins': '^https://[a-z]+[.]example[.]com$,//localhost:',
    'strict-transport-security-directives': 'max-age=31536000,includeSubDomains',
  });
  expect(errors).toEqual([]);
  room = await openRoom(`${folder.path}/a`, { browsers: config.browsers });
  plain = await openRoom(`${folder.path}/b`, { browsers: (await configFromFlags({})).config.browsers });
});
afterAll(async () => {
  await Promise.all([room.close(), plain.close()]);
  await folder.remove();
});

test('a preflight of an allowed origin is answered before authentication', async () => {
  const asked = room.asked.length;
  const answer = await room.ask('/api/v1/pods', {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'GET' },
  });
  expect([answer.code, answer.text, room.asked.length]).toEqual([204, '', asked]);
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'Date',
  });
});

test('its other requests are served as all others, errors too', async () => {
  const served = await room.ask('/version', { headers: { origin } });
  expect([served.code, served.headers['access-control-allow-origin']]).toEqual([200, origin]);
  room.authenticate = () => Promise.resolve({ outcome: 'rejected', authenticator: 'test', reason: 'no' });
  const refused = await room.ask('/version', { headers: { origin: 'http://localhost:8001' } });
  room.authenticate = () =>
    Promise.resolve({ outcome: 'authenticated', user: anonymousUser, authenticator: 'test' });
  expect([refused.code, refused.headers['access-control-allow-origin']]).toEqual([
    401,
    'http://localhost:8001',
  ]);
});

test.each([
  'https://evil.example.org',
  'https://console.example.com.evil.org',
  'http://console.example.com',
  'null',
  `https://${'longer-than-a-host-name'.replaceAll('-', '').repeat(30)}.example.com`,
])('another origin is told nothing: %s', async (other) => {
  const { headers } = await room.ask('/version', { headers: { origin: other } });
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  const preflight = await room.ask('/version', { method: 'OPTIONS', headers: { origin: other } });
  expect([preflight.code, preflight.headers['access-control-allow-origin']]).toEqual([405, undefined]);
});

test('every response says that HTTPS is to be used, over HTTP/2 too', async () => {
  const security = 'max-age=31536000; includeSubDomains';
  expect((await room.ask('/nothing')).headers['strict-transport-security']).toBe(security);
  const session = connectHttp2(room.server.port, { ca: room.authority.ca });
  const { headers } = await askStream(session, { ':path': '/version', origin });
  session.destroy();
  expect(headers).toMatchObject({
    'strict-transport-security': security,
    'access-control-allow-origin': origin,
    'content-type': 'application/json',
  });
});

test('without the flags nothing is said', async () => {
  const { headers } = await plain.ask('/version', { headers: { origin } });
  expect(headers['access-control-allow-origin']).toBeUndefined();
  expect(headers['strict-transport-security']).toBeUndefined();
});

test('patterns that are none, and unknown directives, are errors', async () => {
  const { errors } = await configFromFlags({
    'cors-allowed-origins': '(,^https://a$',
    'strict-transport-security-directives': 'max-age=1,always',
    'external-hostname': 'a b',
  });
  expect(errors.map(({ cause }) => cause)).toEqual([
    'flag --external-hostname has the value "a b"',
    'flag --cors-allowed-origins has "("',
    'flag --strict-transport-security-directives has the value "max-age=1,always"',
  ]);
});
