/**
 * One HTTP/2 connection to a member of etcd for unary gRPC calls (gRPC over HTTP2, protocol version 1).
 * Through the layers of grpc-js a small call took 0.09–0.12 ms of processor time and a transaction of 5 KB
 * 0.12–0.145 ms; this takes 0.03–0.04 and 0.07 (32 at once, two busy cores). Every request of the API that
 * writes makes one.
 */
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type SecureClientSessionOptions,
} from 'node:http2';

import type { EtcdTls } from '../options.ts';
import { EtcdFault } from './faults.ts';
import type { UnaryMethod } from './messages.ts';

/** A status as gRPC tells it; `toFault` reads it. */
export class GrpcError extends Error {
  readonly code: number;
  readonly details: string;

  constructor(code: number, details: string) {
    super(details);
    this.name = 'GrpcError';
    this.code = code;
    this.details = details;
  }
}

/** The window lets a whole page travel without waiting for acknowledgements. */
const streamWindow = 4 * 1024 * 1024;
const connectionWindow = 16 * 1024 * 1024;
/** Megabytes: a few pages of large objects at once. */
const maxSessionMemory = 1_000;
/** A connection has 2^30 stream numbers for us; another one is taken long before they are used up. */
const maxCalls = 2 ** 29;
/** In front of each message: compressed or not, and its length. */
const prefixLength = 5;
const grpcDeadlineExceeded = 4;
const grpcUnavailable = 14;

export class UnaryLine {
  readonly #session: ClientHttp2Session;
  #token: string | undefined;
  #calls = 0;

  private constructor(session: ClientHttp2Session) {
    this.#session = session;
    session.setLocalWindowSize(connectionWindow);
    // A member that ends the connection in order finishes what it has, and takes nothing more.
    session.once('goaway', () => {
      session.close();
    });
  }

  /** Resolves when the member has spoken HTTP/2. @throws EtcdFault `notSent` */
  static connect(url: string, tls: EtcdTls | undefined, timeoutMs: number): Promise<UnaryLine> {
    return new Promise((resolve, reject) => {
      const session = connect(url, sessionOptions(tls));
      const fail = (why: string, cause?: unknown): void => {
        clearTimeout(timer);
        session.destroy();
        reject(new EtcdFault('notSent', `etcd at ${url} cannot be reached: ${why}`, cause));
      };
      const timer = setTimeout(() => {
        fail('it does not answer');
      }, timeoutMs);
      // Stays: an error of a connection that was up ends its calls, which tell.
      session.on('error', (error) => {
        fail(error.message, error);
      });
      session.once('close', () => {
        fail('it ended the connection');
      });
      session.once('remoteSettings', () => {
        clearTimeout(timer);
        resolve(new UnaryLine(session));
      });
    });
  }

  /** What is sent with it may be taken for sent. */
  get isUp(): boolean {
    return !this.#session.closed && !this.#session.destroyed && this.#calls < maxCalls;
  }

  /** The user's token goes with each call from now on. */
  useToken(token: string): void {
    this.#token = token;
  }

  /** Rejects with a GrpcError, or with an EtcdFault `notSent` when the call did not leave. */
  call<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    timeoutMs: number,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (!this.isUp) {
        reject(new EtcdFault('notSent', 'the connection to etcd is closed'));
        return;
      }
      this.#calls += 1;
      const stream = this.#session.request(this.#headers(method.path, timeoutMs));
      receive(stream, timeoutMs, (error, message) => {
        if (message !== undefined) resolve(method.decode(message));
        else reject(error ?? new GrpcError(grpcUnavailable, 'etcd sent nothing'));
      });
      stream.end(framed(method.encode(request)));
    });
  }

  /** Calls under way may finish, for as long as `graceMs`. */
  close(graceMs: number): void {
    const session = this.#session;
    session.close();
    const timer = setTimeout(() => {
      session.destroy();
    }, graceMs);
    timer.unref();
    session.once('close', () => {
      clearTimeout(timer);
    });
  }

  #headers(path: string, timeoutMs: number): Record<string, string> {
    const headers = {
      ':method': 'POST',
      ':path': path,
      te: 'trailers',
      'content-type': 'application/grpc',
      // etcd gives up with us.
      'grpc-timeout': `${Math.ceil(timeoutMs)}m`,
    };
    return this.#token === undefined ? headers : { ...headers, token: this.#token };
  }
}

function sessionOptions(tls: EtcdTls | undefined): SecureClientSessionOptions {
  const settings = { enablePush: false, initialWindowSize: streamWindow };
  return { settings, maxSessionMemory, ...tls };
}

function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(prefixLength + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, prefixLength);
  return frame;
}

interface Status {
  readonly code: number;
  readonly details: string;
}

/** Either an error or the message. */
type Done = (error: Error | undefined, message?: Buffer) => void;

/** Reads the one answer of a call; `done` hears once. */
function receive(stream: ClientHttp2Stream, timeoutMs: number, done: Done): void {
  const chunks: Buffer[] = [];
  let status: Status | undefined;
  const timer = setTimeout(() => {
    status = { code: grpcDeadlineExceeded, details: 'Deadline exceeded' };
    stream.close(constants.NGHTTP2_CANCEL);
  }, timeoutMs);
  const note = (headers: IncomingHttpHeaders): void => {
    status ??= statusOf(headers);
  };
  stream.on('response', note);
  stream.on('trailers', note);
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  // What went wrong shows in `close`, which follows.
  stream.on('error', () => undefined);
  let isDone = false;
  const finish = (): void => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    if (status === undefined) done(lost(stream.rstCode));
    else if (status.code === 0) answer(chunks, done);
    else done(new GrpcError(status.code, status.details));
  };
  stream.once('end', () => {
    if (status !== undefined) finish();
  });
  stream.once('close', finish);
}

function answer(chunks: readonly Buffer[], done: Done): void {
  const [first, second] = chunks;
  const whole = first !== undefined && second === undefined ? first : Buffer.concat(chunks);
  const isWhole = whole.length >= prefixLength && whole.length === prefixLength + whole.readUInt32BE(1);
  if (isWhole && whole[0] === 0) done(undefined, whole.subarray(prefixLength));
  else done(new GrpcError(grpcUnavailable, 'etcd sent no whole message'));
}

/** The status in headers or trailers; undefined when it is still to come. */
function statusOf(headers: IncomingHttpHeaders & IncomingHttpStatusHeader): Status | undefined {
  const code = headers['grpc-status'];
  const http = headers[':status'];
  if (code !== undefined) return { code: Number(code), details: detailsOf(headers['grpc-message']) };
  if (http === undefined || http === 200) return undefined;
  return { code: grpcUnavailable, details: `HTTP status ${http}` };
}

/** gRPC writes messages with percent signs. */
function detailsOf(message: string | string[] | undefined): string {
  const text = typeof message === 'string' ? message : 'failed';
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Refused streams were not looked at (RFC 9113, section 8.7); all others may have been. */
function lost(rstCode: number | undefined): Error {
  if (rstCode === constants.NGHTTP2_REFUSED_STREAM)
    return new EtcdFault('notSent', 'etcd refused the stream');
  return new GrpcError(grpcUnavailable, 'the connection to etcd was lost');
}
