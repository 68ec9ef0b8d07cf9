/** Requests over HTTP/2: the same answers as over HTTP/1.1, many at once on one connection. */
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import express from 'express';
import { anonymousUser, type UserInfo } from '../../../src/meta/user.ts';
import { createFeatureGates } from '../../../src/observe/feature-gates.ts';
import { featuresOf } from '../../../src/observe/release-gates.ts';
import { podEntry } from '../../support/http/fake-verbs.ts';
import { answerOf, askStream, connectHttp2 } from '../../support/http/http2-client.ts';
import { getFrame, Http2Peer, requestBlock, resetFrame } from '../../support/http/http2-peer.ts';
import { openRoom, type HttpRoom } from '../../support/http/room.ts';
import { flag, frame, frameType, numberFrame } from '../../../src/storage/etcd/http2/frames.ts';
import { makeTempFolder, type TempFolder } from '../../support/temp-folder.ts';
import { waitFor, within } from '../../support/wait-for.ts';

const pods = '/api/v1/namespaces/x/pods';
const json = { 'content-type': 'application/json' };
/** RFC 9113, section 7. */
const enhanceYourCalm = 11;

describe('HTTP/2', () => {
  let folder: TempFolder;
  let room: HttpRoom;
  let session: ClientHttp2Session;

  beforeEach(async () => {
    folder = await makeTempFolder('http2');
    room = await openRoom(folder.path, {
      extendExpress: (app) => {
        app.get('/shop', (req, res) => {
          res.status(201).json({ path: req.path, host: req.hostname });
        });
        app.get('/broken', (_req, res) => {
          res.write('half', () => {
            res.destroy();
          });
        });
        app.get('/unsendable', (_req, res) => {
          let problem = '';
          try {
            res.writeHead(600);
          } catch (error) {
            problem = (error as Error).message;
          }
          res.writeHead(503, { 'content-type': 'text/plain' }).end(problem);
        });
        app.get('/repeated', (_req, res) => {
          const repeated = ['Retry-After', '1', 'X-Content-Type-Options', 'nosniff'];
          res.writeHead(200, [...repeated, ...repeated]).end('whole');
        });
        app.post('/shop', express.json(), (req, res) => {
          res.json(req.body);
        });
      },
    });
    room.verbs.entries = [podEntry('a', 1)];
    session = connectHttp2(room.server.port, { ca: room.authority.ca });
  });

  afterEach(async () => {
    session.destroy();
    await room.close();
    await folder.remove();
  });

  test('is chosen by ALPN; without it there is HTTP/1.1', async () => {
    const answer = await askStream(session, { ':path': `${pods}/a` });
    const old = await room.ask(`${pods}/a`);
    expect([session.alpnProtocol, answer.code, old.code]).toEqual(['h2', 200, 200]);
    expect(answer.text).toBe(old.text);
    const { connection: _connection, 'keep-alive': _keepAlive, ...oldHeaders } = old.headers;
    const { ':status': _status, ...headers } = answer.headers;
    expect(Object.keys(headers).sort()).toEqual(Object.keys(oldHeaders).sort());
  });

  test('heads so long that nobody hears of them end the connection', async () => {
    const client = await room.authority.client({ commonName: 'jane' });
    const peer = await Http2Peer.open(room.server.port, room.authority.ca, 65_535, { client });
    const long = Buffer.concat([requestBlock('GET', `${pods}/a`), Buffer.alloc(12_000, 0x80 | 32)]);
    const flags = flag.endHeaders | flag.endStream;
    // Until it ends: a flood that is over before anybody looks ends nothing.
    for (let stream = 1; !peer.isClosed; stream += 2) {
      peer.send(frame({ type: frameType.headers, flags, stream }, long));
      await new Promise(setImmediate);
    }
    expect([undefined, enhanceYourCalm]).toContain(peer.goAwayCode);
  });

  test('bodies with a length and without: created', async () => {
    const body = JSON.stringify({ metadata: { name: 'new' } });
    const open = { ':path': pods, ':method': 'POST', ...json };
    const long = await askStream(session, { ...open, 'content-length': String(body.length) }, body);
    const unknown = await askStream(session, open, body);
    expect([long.code, unknown.code]).toEqual([201, 201]);
    expect(room.verbs.last.argument).toMatchObject({ metadata: { name: 'new' } });
  });

  test('a body that the client cuts off creates nothing', async () => {
    const peer = await Http2Peer.open(room.server.port, room.authority.ca);
    const head = requestBlock('POST', pods, [['content-type', 'application/json']]);
    const body = Buffer.from('{"metadata":{"name":"half"}}');
    peer.send(
      frame({ type: frameType.headers, flags: flag.endHeaders, stream: 1 }, head),
      frame({ type: frameType.data, flags: 0, stream: 1 }, body),
      resetFrame(1, 8),
      getFrame(3, pods),
    );
    await waitFor('the answer to the next', () => peer.of('data', 3).length > 0);
    await askStream(session, { ':path': pods });
    expect(room.verbs.calls.map((call) => call.verb)).toEqual(['list', 'list']);
    peer.close();
  });

  test('a body over the limit is 413, and the connection goes on', async () => {
    const open = { ':path': pods, ':method': 'POST', ...json };
    const large = await askStream(session, open, Buffer.alloc(4 * 1024 * 1024, 32));
    expect([large.code, JSON.parse(large.text)]).toMatchObject([413, { reason: 'RequestEntityTooLarge' }]);
    expect((await askStream(session, { ':path': `${pods}/a` })).code).toBe(200);
  });

  test('an expectation: 100 before the body, 417 for an unknown one', async () => {
    const open = { ':path': pods, ':method': 'POST', ...json };
    const stream = session.request({ ...open, expect: '100-continue' });
    const continues = new Promise<void>((resolve) => stream.once('continue', () => resolve()));
    const answer = answerOf(stream);
    await within('100 Continue', 5_000, continues);
    stream.end('{"metadata":{"name":"n"}}');
    expect((await answer).code).toBe(201);
    expect((await askStream(session, { ...open, expect: 'wonders' }, '{}')).code).toBe(417);
  });

  test('Host in place of an authority, without both the stream is refused; CONNECT is 405', async () => {
    const peer = await Http2Peer.open(room.server.port, room.authority.ca);
    const flags = flag.endHeaders | flag.endStream;
    const whole = requestBlock('GET', '/shop');
    const nameless = whole.subarray(0, whole.indexOf(':authority') - 2);
    const host = requestBlock('', '', [['host', 'other.example']]);
    const named = Buffer.concat([nameless, host.subarray(host.indexOf('host') - 2)]);
    peer.send(
      frame({ type: frameType.headers, flags, stream: 1 }, nameless),
      frame({ type: frameType.headers, flags, stream: 3 }, named),
    );
    await waitFor('the answer', () => peer.of('data', 3).length > 0);
    expect(peer.of('data', 3)[0]?.payload.toString()).toContain('other.example');
    expect([peer.resetCode(1), peer.of('headers', 1)]).toEqual([1, []]);
    peer.close();
    const connect = session.request({ ':method': 'CONNECT', ':authority': 'other:443' });
    expect((await answerOf(connect)).code).toBe(405);
  });

  test('a method that nobody knows, whatever its name: 405', async () => {
    for (const method of ['BREW', 'constructor', '__proto__']) {
      const stream = session.request({ ':method': method, ':path': '/api/v1/namespaces/x/pods' });
      expect([method, (await answerOf(stream)).code]).toEqual([method, 405]);
    }
  });

  test('clients with costly heads that do not read their responses are answered once they read', async () => {
    room.verbs.entries = [podEntry('a', 1, 400_000)];
    const maxWindow = 0x7fff_ffff;
    const numbers = Array.from({ length: 40 }, (_, i) => 2 * i + 1);
    const block = (stream: number): Buffer =>
      Buffer.concat([
        requestBlock('GET', `${pods}/a`),
        stream === 1 ? Buffer.from([0x40, 1, 0x61, 1, 0x62]) : Buffer.alloc(0),
        Buffer.alloc(600, 0x80 | 62),
      ]);
    const flags = flag.endHeaders | flag.endStream;
    const client = await room.authority.client({ commonName: 'jane' });
    const { port } = room.server;
    const peers = await Promise.all(
      Array.from({ length: 3 }, () => Http2Peer.open(port, room.authority.ca, maxWindow, { client })),
    );
    for (const peer of peers) {
      peer.socket.pause();
      peer.send(
        numberFrame({ type: frameType.windowUpdate, flags: 0, stream: 0 }, maxWindow - 65_535),
        ...numbers.map((stream) => frame({ type: frameType.headers, flags, stream }, block(stream))),
      );
    }
    await waitFor('the requests', () => room.verbs.calls.length === 120);
    for (const peer of peers) {
      peer.send(getFrame(999, `${pods}/a`));
      peer.socket.resume();
    }
    const isWhole = (peer: Http2Peer, stream: number): boolean =>
      peer.of('data', stream).some((f) => (f.flags & flag.endStream) !== 0);
    await waitFor('the answers', () =>
      peers.every((peer) => [...numbers, 999].every((stream) => isWhole(peer, stream))),
    );
    for (const peer of peers) peer.close();
  });

  test('a client certificate is known on every request, and the connection is authenticated', async () => {
    const { cert, key } = await room.authority.client({ commonName: 'jane' });
    const own = connectHttp2(room.server.port, { ca: room.authority.ca, cert, key });
    for (let i = 0; i < 2; i++) await askStream(own, { ':path': `${pods}/a` });
    const [first, second] = room.asked.slice(-2);
    expect(second?.peer).toMatchObject({ authorized: true, certificates: [{ subject: 'CN=jane' }, {}] });
    expect([second?.peer === first?.peer, second?.remoteAddress]).toEqual([true, '127.0.0.1']);
    own.destroy();
  });

  test('250 watches on one connection, and requests beside them', async () => {
    const watches: ClientHttp2Stream[] = [];
    for (let i = 0; i < 249; i++) {
      const stream = session.request({ ':path': `${pods}?watch=1` });
      stream.on('error', () => undefined).resume();
      watches.push(stream);
    }
    await waitFor('all watches', () => room.verbs.watches.length === 249);
    expect(session.remoteSettings.maxConcurrentStreams).toBe(250);
    expect((await askStream(session, { ':path': `${pods}/a` })).code).toBe(200);
    for (const watch of watches) watch.close(8);
    await waitFor('the end of all', () => room.verbs.watches.every((watch) => watch.closed));
    expect((await askStream(session, { ':path': `${pods}/a` })).code).toBe(200);
  });

  test('a response that breaks off is reset, so that the client sees that it is not whole', async () => {
    const stream = session.request({ ':path': '/broken' });
    const { code, text, resetCode } = await answerOf(stream);
    expect([code, text, resetCode]).toEqual([200, 'half', 2]);
    expect((await askStream(session, { ':path': `${pods}/a` })).code).toBe(200);
  });

  test('in place of a head that cannot be sent there is another one', async () => {
    const { code, text } = await askStream(session, { ':path': '/unsendable' });
    expect([code, text]).toEqual([503, 'Invalid status code: 600']);
  });

  test('a head may repeat what others have once', async () => {
    const { code, text } = await askStream(session, { ':path': '/repeated' });
    expect([code, text]).toEqual([200, 'whole']);
  });

  test('a response is written at the pace of the client, and others are not delayed', async () => {
    room.verbs.entries = Array.from({ length: 40 }, (_, i) => podEntry(`p${String(i)}`, i + 1, 100_000));
    const peer = await Http2Peer.open(room.server.port, room.authority.ca, 0);
    const flags = flag.endHeaders | flag.endStream;
    peer.send(frame({ type: frameType.headers, flags, stream: 1 }, requestBlock('GET', pods)));
    await waitFor('the head', () => peer.of('headers', 1).length > 0);
    expect((await askStream(session, { ':path': `${pods}/p1` })).code).toBe(200);
    expect(peer.of('data', 1)).toEqual([]);
    peer.send(numberFrame({ type: frameType.windowUpdate, flags: 0, stream: 1 }, 50_000));
    const bytes = (): number => peer.of('data', 1).reduce((sum, { payload }) => sum + payload.length, 0);
    await waitFor('what the window allows', () => bytes() === 50_000);
    peer.close();
  });

  test('Express and its middleware', async () => {
    const found = await askStream(session, { ':path': '/shop' });
    expect([found.code, JSON.parse(found.text)]).toEqual([201, { path: '/shop', host: '127.0.0.1' }]);
    const sent = await askStream(session, { ':path': '/shop', ':method': 'POST', ...json }, '{"a":1}');
    expect([sent.code, sent.text]).toEqual([200, '{"a":1}']);
  });

  test('HEAD has headers and no body', async () => {
    const head = await askStream(session, { ':path': '/version', ':method': 'HEAD' });
    expect([head.text, head.resetCode]).toEqual(['', 0]);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
  });

  test('a large answer is compressed for those who accept it', async () => {
    room.verbs.entries = Array.from({ length: 40 }, (_, i) => podEntry(`p${String(i)}`, i + 1, 10_000));
    const plain = await askStream(session, { ':path': pods });
    const small = await askStream(session, { ':path': pods, 'accept-encoding': 'gzip' });
    expect([plain.headers['content-encoding'], small.headers['content-encoding']]).toEqual([
      undefined,
      'gzip',
    ]);
    expect(small.resetCode).toBe(0);
    expect(plain.text.length).toBeGreaterThan(200_000);
  });

  test('a request that ends its connection by chance: GOAWAY, and the response', async () => {
    const other = await openRoom(`${folder.path}/other`, { goawayChance: 1 });
    const own = connectHttp2(other.server.port, { ca: other.authority.ca });
    const away = new Promise<number>((resolve) => own.once('goaway', resolve));
    const closed = new Promise<void>((resolve) => own.once('close', () => resolve()));
    const answer = await askStream(own, { ':path': pods });
    expect([answer.code, answer.headers.connection, await within('GOAWAY', 5_000, away)]).toEqual([
      200,
      undefined,
      0,
    ]);
    await within('the end of the connection', 5_000, closed);
    expect((await other.ask(pods)).headers.connection).toBe('keep-alive');
    await other.close();
  });

  test('a closing server ends its connections with GOAWAY after the open requests', async () => {
    const away = new Promise<number>((resolve) => session.once('goaway', resolve));
    let go = (): void => undefined;
    room.verbs.before = () => new Promise((resolve) => (go = resolve));
    const open = askStream(session, { ':path': `${pods}/a` });
    await waitFor('the request', () => room.verbs.calls.length > 0);
    const closed = room.server.close(10_000);
    expect(await within('GOAWAY', 5_000, away)).toBe(0);
    go();
    expect((await open).code).toBe(200);
    await within('the end', 5_000, closed);
  });
});

describe('connections of clients that nobody knows', () => {
  test.each([
    [28, {}, false],
    [28, { UnauthenticatedHTTP2DOSMitigation: true }, true],
    [29, {}, true],
    [36, { UnauthenticatedHTTP2DOSMitigation: false }, false],
  ])('in 1.%d with %j end with their first request: %s', async (minor, settings, ends) => {
    const folder = await makeTempFolder('http2-unknown');
    const gates = createFeatureGates(settings, featuresOf({ major: 1, minor }));
    const room = await openRoom(folder.path, { isFeatureEnabled: (gate) => gates.isEnabled(gate) });
    const isOver = async (user: UserInfo | undefined): Promise<boolean> => {
      const authenticator = 'test';
      room.authenticate = () =>
        user
          ? { outcome: 'authenticated', user, authenticator }
          : { outcome: 'rejected', authenticator, reason: 'nonsense' };
      const session = connectHttp2(room.server.port, { ca: room.authority.ca });
      const gone = new Promise<boolean>((resolve) => session.once('goaway', () => resolve(true)));
      await askStream(session, { ':path': '/version' });
      // The end is told with the answer, and a connection that is not at its end answers a ping.
      const alive = new Promise<boolean>((resolve) => session.ping((error) => resolve(error !== null)));
      const isEnding = await Promise.race([gone, alive]);
      session.destroy();
      return isEnding;
    };
    const jane = { name: 'jane', uid: '', groups: [], extra: {} };
    const found = [await isOver(anonymousUser), await isOver(undefined), await isOver(jane)];
    await room.close();
    await folder.remove();
    expect(found).toEqual([ends, ends, false]);
  });
});
