/** Requests and responses that pass the proxy: bodies as streams, headers by the rules, links under the mount. */
import { createServer as createTlsServer } from 'node:https';
import { Agent, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { makeAuthority } from '../../support/pki.ts';
import { makeTempFolder } from '../../support/temp-folder.ts';
import { HandClock } from '../../support/hand-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ProxyBench } from './support.ts';

let bench: ProxyBench;
beforeEach(async () => {
  bench = new ProxyBench();
  await bench.open();
});
afterEach(() => bench.close());

/** Serves every request with what it says, and notes the requests. */
async function noting(
  body = 'ok',
  headers: Record<string, string | string[]> = {},
): Promise<IncomingMessage[]> {
  const seen: IncomingMessage[] = [];
  await bench.serve((req, res) => {
    seen.push(req);
    req.resume();
    res.writeHead(headers['location'] === undefined ? 200 : 302, headers).end(body);
  });
  return seen;
}

async function answerTo(bytes: string): Promise<string> {
  const { said, isOver } = bench.talk(bytes);
  await waitFor('the end of the answer', isOver);
  return said();
}

function get(path: string, ...headers: string[]): string {
  return [`GET ${path} HTTP/1.1`, 'Host: client.test:81', 'Connection: close', ...headers, '', ''].join(
    '\r\n',
  );
}

/** Writes until the other side takes no more. */
async function writeUntilItStops(socket: Socket): Promise<void> {
  const chunk = Buffer.alloc(64 * 1024);
  let before = -1;
  await waitFor(
    'the stream to stop',
    () => {
      while (socket.writableLength < chunk.length) socket.write(chunk);
      const taken = socket.bytesWritten - socket.writableLength;
      const hasStopped = taken === before;
      before = taken;
      return hasStopped;
    },
    { interval: 100 },
  );
}

describe('headers', () => {
  test('of the connection, credentials and impersonation do not reach the backend', async () => {
    const seen = await noting();
    await answerTo(
      [
        'GET /a?b=c HTTP/1.1\r\nHost: client.test\r\nConnection: close, X-Listed, X-Remote-User\r\nX-Listed: 1',
        'X-Kept: 1\r\nX-Kept: 2\r\nAuthorization: Bearer s3cret\r\nImpersonate-User: root\r\nTE: trailers',
        'Proxy-Authorization: x\r\nKeep-Alive: 5\r\nX-Forwarded-For: 192.0.2.7\r\nCookie: c=1\r\n\r\n',
      ].join('\r\n'),
    );
    expect(seen[0]?.url).toBe('/a?b=c');
    expect(seen[0]?.rawHeaders).toEqual([
      ...['Host', 'client.test', 'X-Kept', '1', 'X-Kept', '2', 'Cookie', 'c=1'],
      ...['X-Forwarded-For', '192.0.2.7, 127.0.0.1', 'Connection', 'close'],
    ]);
  });

  test('of the proxy replace those of the client, which cannot have them removed either', async () => {
    const seen = await noting();
    const withheld = (name: string): boolean => name.startsWith('x-remote-extra-');
    bench.backend = {
      ...{ ...bench.backend, hostHeader: 'service.test', isWithheld: withheld },
      headers: { 'x-remote-user': 'ann', 'x-remote-group': ['a', 'b'] },
    };
    await answerTo(
      'GET / HTTP/1.1\r\nHost: x\r\nX-Remote-User: root\r\nX-Remote-Extra-Scopes: all\r\nConnection: close, x-remote-user\r\n\r\n',
    );
    expect(seen[0]?.headers).toMatchObject({ host: 'service.test', 'x-remote-user': 'ann' });
    expect(seen[0]?.headers['x-remote-group']).toBe('a, b');
    expect(seen[0]?.headers).not.toHaveProperty('x-remote-extra-scopes');
  });

  test('of the response are those of the backend, the own ones where it has none', async () => {
    bench.ownHeaders = ['Audit-Id', '1', 'Cache-Control', 'no-cache'];
    await noting('ok', {
      ...{ 'cache-control': 'max-age=5', connection: 'close, x-listed', 'x-listed': '1' },
      'set-cookie': ['a=1', 'b=2'],
    });
    const answer = await answerTo(get('/'));
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\nAudit-Id: 1\r\n/);
    expect(answer.match(/^set-cookie: .*$/gim)).toEqual(['set-cookie: a=1', 'set-cookie: b=2']);
    expect(answer.match(/^cache-control: .*$/gim)).toEqual(['cache-control: max-age=5']);
    expect(answer).not.toMatch(/x-listed/i);
  });

  test('cannot break out of the head of a request', async () => {
    await noting();
    bench.backend = { ...bench.backend, path: '/a b' };
    expect(await answerTo(get('/'))).toMatch(/^HTTP\/1.1 502/);
    expect(bench.errors[0]?.message).toMatch(/unescaped/);
  });
});

describe('bodies', () => {
  test('pass while they arrive, in both directions', async () => {
    await bench.serve((req, res) => {
      res.flushHeaders();
      req.on('data', (chunk: Buffer) => res.write(chunk.toString().toUpperCase()));
      req.on('end', () => res.end('.'));
    });
    const { socket, said } = bench.talk(
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
    );
    await waitFor('the first part', () => said().includes('ABC'));
    socket.write('3\r\ndef\r\n0\r\n\r\n');
    await waitFor('the rest', () => /DEF[^]*\r\n0\r\n\r\n$/.test(said()));
  });

  test('wait for a backend that does not read', async () => {
    let backend: IncomingMessage | undefined;
    await bench.serve((req) => (backend = req));
    const size = 64 * 1024 * 1024;
    const { socket } = bench.talk(`PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${String(size)}\r\n\r\n`);
    await waitFor('the request', () => backend);
    // The kernel takes some megabytes; what the proxy holds beside is little.
    await writeUntilItStops(socket);
    expect(socket.bytesWritten - socket.writableLength).toBeLessThan(size / 2);
  });

  test('of a client that is reset while the backend does not read end the request', async () => {
    const clock = (bench.clock = new HandClock());
    let backend: IncomingMessage | undefined;
    await bench.serve((req) => (backend = req));
    const { socket } = bench.talk('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 67108864\r\n\r\n');
    await waitFor('the request', () => backend);
    await writeUntilItStops(socket);
    clock.advance(60_000);
    expect(bench.passing).toBe(1);
    socket.resetAndDestroy();
    await waitFor('the end of the request', () => {
      clock.advance(5_000);
      return bench.passing === 0;
    });
    expect(clock.timers).toBe(0);
  });

  test('cannot become a further request, whatever the client calls a header of its connection', async () => {
    const seen = await noting();
    const agent = new Agent({ keepAlive: true });
    bench.backend = { ...bench.backend, agent };
    const second = 'GET /second HTTP/1.1\r\nHost: x\r\nX-Remote-User: root\r\n\r\n';
    const length = `Content-Length: ${String(second.length)}`;
    await answerTo(`${get('/first', 'Connection: Content-Length', length)}${second}`);
    await answerTo(get('/third'));
    agent.destroy();
    expect(seen.map(({ url }) => url)).toEqual(['/first', '/third']);
    expect(seen[0]?.headers['content-length']).toBe(String(second.length));
  });

  test('that end early do not look whole to the backend', async () => {
    let how = '';
    let begun = false;
    await bench.serve((req) => {
      begun = true;
      req.resume().on('error', () => (how = 'broken'));
      req.on('end', () => (how = 'whole'));
    });
    const { socket } = bench.talk('PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc');
    await waitFor('the request to be passed on', () => begun);
    socket.destroy();
    await waitFor('the end', () => how !== '');
    expect(how).toBe('broken');
  });

  test('of responses that end early do not look whole to the client', async () => {
    await bench.serve((_req, res) => {
      res.write('some');
      setImmediate(() => res.destroy());
    });
    const answer = await answerTo(get('/'));
    expect(answer).not.toMatch(/\r\n0\r\n\r\n$/);
    expect(bench.errors[0]?.message).toMatch(/ended early|socket hang up/);
  });

  test('are none for HEAD, with the length that GET would have', async () => {
    await noting('four', { 'content-length': '4', 'content-type': 'text/html' });
    bench.backend = { ...bench.backend, mount: '/m' };
    const answer = await answerTo('HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/content-length: 4\r\n/);
    expect(answer).toMatch(/\r\n\r\n$/);
  });
});

test('a response that waits for events shows its head at once', async () => {
  await bench.serve((_req, res) => {
    res.writeHead(200, { 'x-head': 'there' }).flushHeaders();
  });
  const { said } = bench.talk(get('/'));
  await waitFor('the head', () => /x-head: there[^]*\r\n\r\n/.test(said()));
});

test('the backend is left when the client goes', async () => {
  let isLeft = false;
  await bench.serve((_req, res) => {
    res.on('close', () => (isLeft = true)).write('part');
  });
  const { socket, said } = bench.talk(get('/'));
  await waitFor('the beginning', () => said().includes('part'));
  socket.destroy();
  await waitFor('the backend to notice', () => isLeft);
});

test('a connection that the backend closed meanwhile is not used again', async () => {
  let connections = 0;
  const server = await bench.serve((_req, res) => {
    res.end('ok');
  });
  server.on('connection', () => (connections += 1));
  const agent = new Agent({ keepAlive: true });
  bench.backend = { ...bench.backend, agent };
  for (let i = 0; i < 3; i++) expect(await answerTo(get('/'))).toMatch(/^HTTP\/1.1 200/);
  expect(connections).toBe(1);
  // The next request is on its way before the end of the connection is noticed.
  server.closeAllConnections();
  expect(await answerTo(get('/'))).toMatch(/^HTTP\/1.1 200/);
  agent.destroy();
});

describe('under a mount', () => {
  const mount = '/api/v1/namespaces/x/services/s/proxy';

  const redirects: [string, string][] = [
    ['/there?a=b#c', `${mount}/there?a=b#c`],
    ['//evil.test/x', '//evil.test/x'],
    ['https://evil.test/x', 'https://evil.test/x'],
    ['http://client.test:81/x', `http://client.test:81${mount}/x`],
    ['http://127.0.0.1:PORT/x/', `${mount}/x/`],
    ['relative/x', 'relative/x'],
    ['/../../..', `${mount}/`],
    [`${mount}/x`, `${mount}/x`],
  ];
  test.each(redirects)('a redirect to %s is passed on as %s', async (location, passed) => {
    let asked = 0;
    await bench.serve(({ socket }, res) => {
      asked += 1;
      res.writeHead(302, { location: location.replace('PORT', String(socket.localPort)) }).end();
    });
    bench.backend = { ...bench.backend, mount };
    const answer = await answerTo(get('/'));
    expect(answer).toMatch(/^HTTP\/1.1 302/);
    expect(answer).toContain(`location: ${passed}\r\n`);
    expect(asked).toBe(1);
  });

  test('links of pages lead through the proxy; nothing else changes', async () => {
    const page =
      '<p>ü <a href="/x?a=1&amp;b=2">x</a> <img src=/y alt="/y"> <a href="https://else.test/">e</a></p>';
    await noting(page, {
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(Buffer.byteLength(page)),
    });
    bench.backend = { ...bench.backend, mount };
    const answer = Buffer.from(await answerTo(get('/')), 'latin1').toString();
    expect(answer).toContain(
      `<p>ü <a href="${mount}/x?a=1&amp;b=2">x</a> <img src="${mount}/y" alt="/y"> <a href="https://else.test/">e</a></p>`,
    );
    expect(answer).not.toMatch(/content-length/i);
  });

  test('packed pages, too', async () => {
    await bench.serve((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
      res.end(gzipSync('<a href="/x">'));
    });
    bench.backend = { ...bench.backend, mount };
    const response = await fetch(`http://127.0.0.1:${String(bench.port)}/`);
    expect(await response.text()).toBe(`<a href="${mount}/x">`);
  });

  test('the backend cannot open the API to other web pages', async () => {
    await noting('', { 'access-control-allow-origin': '*', 'access-control-allow-credentials': 'true' });
    bench.backend = { ...bench.backend, mount };
    expect(await answerTo(get('/'))).not.toMatch(/access-control/i);
  });

  test('it is told where its pages are seen', async () => {
    const seen = await noting();
    bench.backend = { ...bench.backend, mount, path: '/x' };
    await answerTo(get(`${mount}/x?y=z`, 'X-Forwarded-Uri: /elsewhere'));
    expect(seen[0]?.headers['x-forwarded-uri']).toBe(`${mount}/x`);
  });
});

describe('over TLS', () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  beforeEach(async () => (folder = await makeTempFolder('proxy-tls')));
  afterEach(() => folder.remove());

  test('the backend is verified by the CA and name that are given, and sees the certificate of the proxy', async () => {
    const authority = await makeAuthority(folder.path);
    const { cert, key } = await authority.server('backend');
    const client = await authority.client({ commonName: 'proxy' });
    let peer = '';
    const server = createTlsServer({ cert, key, ca: authority.ca, requestCert: true }, (req, res) => {
      if (req.socket instanceof TLSSocket) peer = String(req.socket.getPeerX509Certificate()?.subject);
      res.end('ok');
    });
    const tls = { ca: authority.ca, cert: client.cert, key: client.key };
    await bench.to(server, { scheme: 'https', tls });
    expect(await answerTo(get('/'))).toMatch(/^HTTP\/1.1 200/);
    expect(peer).toContain('CN=proxy');
    bench.backend = { ...bench.backend, tls: { ...tls, servername: 'other.test' } };
    expect(await answerTo(get('/'))).toMatch(/^HTTP\/1.1 502/);
    expect(bench.errors.at(-1)?.message).toMatch(/other\.test/);
    bench.backend = { ...bench.backend, tls: { ...tls, ca: undefined } };
    expect(await answerTo(get('/'))).toMatch(/^HTTP\/1.1 502/);
    bench.backend = { ...bench.backend, tls: { ...tls, ca: undefined, insecureSkipVerify: true } };
    expect(await answerTo(get('/'))).toMatch(/^HTTP\/1.1 200/);
  });
});
