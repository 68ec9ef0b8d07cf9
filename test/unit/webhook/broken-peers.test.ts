/** Servers that are asked and that send without end: the call fails for that, long before its deadline. */
import { once } from 'node:events';
import { get } from 'node:http';
import { createServer as createPlain, type AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { httpsJson } from '../../../src/authn/oidc/https-json.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { limitInformational } from '../../../src/base/http-response.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { HttpsTransport } from '../../../src/webhook/https-transport.ts';
import { makeAuthority, type TestAuthority } from '../../support/pki.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';

let folder: TempFolder;
let authority: TestAuthority;
let server: Server;
let head = '';
/** Sent again and again. */
let rest = '';

beforeAll(async () => {
  folder = await makeTempFolder('broken-peers');
  authority = await makeAuthority(folder.path);
  const { cert, key } = await authority.server('broken');
  server = createServer({ cert, key }, (socket) => {
    const go = (): void => {
      while (socket.writable && socket.write(rest));
    };
    socket.on('error', () => undefined).on('drain', go);
    socket.once('data', () => {
      socket.write(head);
      go();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await folder.remove();
});

const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

test.each([
  ['100 Continue', '', 'HTTP/1.1 100 Continue\r\n\r\n', 'too many informational responses (1xx)'],
  [
    '103 Early Hints',
    '',
    'HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n',
    'too many informational responses (1xx)',
  ],
  ['chunks of one byte', chunked, '1\r\n \r\n', 'the response comes in chunks of a few bytes'],
])(
  '%s without end',
  async (_what, first, again, problem) => {
    head = first;
    rest = again.repeat(1_000);
    const url = new URL(`https://127.0.0.1:${String((server.address() as AddressInfo).port)}/path`);
    const ca = Buffer.from(authority.ca);
    const transport = new HttpsTransport(
      { server: url, ca, cert: undefined, key: undefined, token: '' },
      systemEnvironment,
    );
    const signal = AbortSignal.timeout(60_000);
    await expect(transport.json({ method: 'POST', path: '/path', body: {} }, signal)).rejects.toThrow(
      problem,
    );
    await expect(httpsJson(url, [authority.ca], signal)).rejects.toThrow(problem);
    transport.close();
  },
  90_000,
);

// Frames of HTTP/2 (RFC 9113), which is not offered: SETTINGS, then GOAWAY with an error, or RST_STREAM of stream 1.
const settings = Buffer.from('000000040000000000', 'hex').toString('latin1');
test.each([
  ['GOAWAY', '0000080700000000000000000000000002'],
  ['RST_STREAM', '00000403000000000100000008'],
])('a server that speaks HTTP/2 and ends with %s has not answered', async (_frame, hex) => {
  head = settings + Buffer.from(hex, 'hex').toString('latin1');
  rest = '\0'.repeat(1_000);
  const url = new URL(`https://127.0.0.1:${String((server.address() as AddressInfo).port)}/path`);
  const access = { server: url, ca: Buffer.from(authority.ca), cert: undefined, key: undefined, token: '' };
  const transport = new HttpsTransport(access, systemEnvironment);
  const signal = AbortSignal.timeout(60_000);
  await expect(transport.json({ method: 'POST', path: '/path' }, signal)).rejects.toThrow('Parse Error');
  transport.close();
});

test('an answer whose connection ends within it is told as cut, and not as given up here', async () => {
  const { cert, key } = await authority.server('cutting');
  const cutting = createServer({ cert, key }, (socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"status":'));
  }).listen(0, '127.0.0.1');
  await once(cutting, 'listening');
  const url = new URL(`https://127.0.0.1:${String((cutting.address() as AddressInfo).port)}/path`);
  const access = { server: url, ca: Buffer.from(authority.ca), cert: undefined, key: undefined, token: '' };
  const transport = new HttpsTransport(access, systemEnvironment);
  const signal = AbortSignal.timeout(60_000);
  await expect(transport.json({ method: 'POST', path: '/path' }, signal)).rejects.toThrow(/^unexpected EOF$/);
  transport.close();
  cutting.close();
});

test.each(['000', '207', '299'])('a status of %s is no success', async (code) => {
  head = `HTTP/1.1 ${code} -\r\nContent-Length: 15\r\n\r\n{"status":"ok"}`;
  rest = '\r\n';
  const url = new URL(`https://127.0.0.1:${String((server.address() as AddressInfo).port)}/path`);
  const access = { server: url, ca: Buffer.from(authority.ca), cert: undefined, key: undefined, token: '' };
  const transport = new HttpsTransport(access, systemEnvironment);
  const signal = AbortSignal.timeout(60_000);
  await expect(transport.json({ method: 'POST', path: '/path' }, signal)).rejects.toBeInstanceOf(StatusError);
  transport.close();
});

test('of informational responses that arrive together no more are read than a request may have', async () => {
  await using stack = new AsyncDisposableStack();
  const flood = createPlain((socket) => {
    socket.on('error', () => undefined).write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(2_000));
  }).listen(0, '127.0.0.1');
  stack.defer(() => void flood.close());
  await once(flood, 'listening');
  let count = 0;
  const sent = get({ host: '127.0.0.1', port: (flood.address() as AddressInfo).port, agent: false });
  limitInformational(sent);
  sent.on('information', () => (count += 1));
  const [error] = (await once(sent, 'error')) as [Error];
  expect(error.message).toBe('too many informational responses (1xx)');
  expect(count).toBe(17);
});
