/** Unary gRPC calls against a member that answers in every way that HTTP/2 allows. */
import { once } from 'node:events';
import { constants, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';

import { systemClock } from '../../../src/base/clock.ts';
import { EtcdError, toEtcdError } from '../../../src/storage/etcd/etcd-error.ts';
import type { UnaryMethod } from '../../../src/storage/etcd/etcd-messages.ts';
import { GrpcLine } from '../../../src/storage/etcd/grpc-line.ts';
import { transportNames } from '../../../src/storage/options.ts';
import { waitFor } from '../../support/wait-for.ts';

const echo: UnaryMethod<string, string> = {
  path: '/test/Echo',
  encode: (text) => Buffer.from(text),
  decode: (bytes) => bytes.toString(),
};

/** A deadline that no call meets unless it is about one. */
const patienceMs = 30_000;

type Behaviour = (stream: ServerHttp2Stream) => void;

let server: Http2Server;
let behaviour: Behaviour;
let line: GrpcLine;

function message(text: string, flag = 0): Buffer {
  const body = Buffer.from(text);
  const prefix = Buffer.alloc(5);
  prefix[0] = flag;
  prefix.writeUInt32BE(body.length, 1);
  return Buffer.concat([prefix, body]);
}

function answering(parts: readonly Buffer[], trailers: Record<string, string>): Behaviour {
  return (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => {
      stream.sendTrailers(trailers);
    });
    for (const part of parts) stream.write(part);
    stream.end();
  };
}

const good = answering([message('hello')], { 'grpc-status': '0' });

describe.each(transportNames)('over the transport %s', (transport) => {
  beforeEach(async () => {
    server = createServer();
    server.on('stream', (stream: ServerHttp2Stream) => {
      stream.on('error', () => undefined);
      behaviour(stream);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    line = await GrpcLine.connect(
      `http://127.0.0.1:${String(port)}`,
      { clock: systemClock, tls: undefined, transport },
      patienceMs,
    );
  });

  afterEach(async () => {
    line.close(0);
    await new Promise((resolve) => server.close(resolve));
  });

  async function errorOf(call: Promise<unknown>): Promise<EtcdError> {
    const error: unknown = await call.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return toEtcdError(error, 'call');
  }

  test('a message in pieces is put together', async () => {
    const whole = message('hello world');
    behaviour = answering([whole.subarray(0, 3), whole.subarray(3, 7), whole.subarray(7)], {
      'grpc-status': '0',
    });
    expect(await line.call(echo, 'x', patienceMs)).toBe('hello world');
  });

  test('a stream whose message cannot be decoded ends with an error', async () => {
    behaviour = (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      stream.write(message('not JSON'));
    };
    const ended = Promise.withResolvers<Error | undefined>();
    const decode = (bytes: Buffer): unknown => JSON.parse(bytes.toString());
    line.stream({ ...echo, decode }, 'x', { onAnswer: () => undefined, onEnd: ended.resolve });
    expect((await ended.promise)?.message).toMatch(/^etcd sent what is no message: /);
  });

  test('a status without a body has its code and message', async () => {
    behaviour = (stream) => {
      stream.respond(
        {
          ':status': 200,
          'grpc-status': '11',
          'grpc-message': 'etcdserver: mvcc: required revision has been compacted',
        },
        { endStream: true },
      );
    };
    expect((await errorOf(line.call(echo, 'x', patienceMs))).kind).toBe('compacted');
  });

  test('a text with percent signs is read, and one that is none is left', async () => {
    behaviour = answering([], { 'grpc-status': '9', 'grpc-message': 'caf%C3%A9' });
    expect((await errorOf(line.call(echo, 'x', patienceMs))).message).toContain('café');
    behaviour = answering([], { 'grpc-status': '9', 'grpc-message': '100%' });
    expect((await errorOf(line.call(echo, 'x', patienceMs))).message).toContain('100%');
  });

  const unknown: [string, Behaviour][] = [
    ['a stream that is reset', (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR)],
    ['a connection that breaks', (stream) => stream.session?.destroy()],
    ['a body without a status', answering([message('hello')], {})],
    ['a body that is too short', answering([message('hello').subarray(0, 7)], { 'grpc-status': '0' })],
    ['no body', answering([], { 'grpc-status': '0' })],
    ['a compressed body', answering([message('hello', 1)], { 'grpc-status': '0' })],
    ['another HTTP status', (stream) => stream.respond({ ':status': 503 }, { endStream: true })],
  ];

  test.each(unknown)('after %s nothing is known', async (_name, how) => {
    behaviour = how;
    const error = await errorOf(line.call(echo, 'x', patienceMs));
    expect({ kind: error.kind, isLate: error.isLate }).toEqual({ kind: 'unknown', isLate: false });
  });

  test('a refused stream was not sent', async () => {
    behaviour = (stream) => {
      stream.close(constants.NGHTTP2_REFUSED_STREAM);
    };
    expect((await errorOf(line.call(echo, 'x', patienceMs))).kind).toBe('notSent');
  });

  test('a call without a response ends at its deadline, which is sent to the member', async () => {
    const asked = Promise.withResolvers<ServerHttp2Stream>();
    behaviour = asked.resolve;
    const error = await errorOf(line.call(echo, 'x', 50));
    expect({ kind: error.kind, isLate: error.isLate }).toEqual({ kind: 'unknown', isLate: true });
    const stream = await asked.promise;
    await waitFor('the cancellation', () => stream.rstCode === constants.NGHTTP2_CANCEL);
  });

  test('a member that goes away in order finishes what it has and gets no more', async () => {
    const asked = Promise.withResolvers<ServerHttp2Stream>();
    behaviour = asked.resolve;
    const under = line.call(echo, 'x', patienceMs);
    const stream = await asked.promise;
    stream.session?.goaway(constants.NGHTTP2_NO_ERROR);
    await waitFor('the news', () => !line.isUp);
    good(stream);
    expect(await under).toBe('hello');
    expect((await errorOf(line.call(echo, 'x', patienceMs))).kind).toBe('notSent');
  });

  test('a line that is closed lets its calls finish', async () => {
    const asked = Promise.withResolvers<ServerHttp2Stream>();
    behaviour = asked.resolve;
    const under = line.call(echo, 'x', patienceMs);
    const stream = await asked.promise;
    line.close(patienceMs);
    good(stream);
    expect(await under).toBe('hello');
  });

  test('who does not speak HTTP/2 in time cannot be reached', async () => {
    const { createServer: plain } = await import('node:net');
    const silent = plain(() => undefined);
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const error = await errorOf(
      GrpcLine.connect(
        `http://127.0.0.1:${String(port)}`,
        { clock: systemClock, tls: undefined, transport },
        100,
      ),
    );
    expect({ kind: error.kind, message: error.message }).toMatchObject({
      kind: 'notSent',
      message: expect.stringContaining('does not respond') as string,
    });
    silent.close();
  });
});
