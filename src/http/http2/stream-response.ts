/**
 * A response of HTTP/2 as the message that handlers know from HTTP/1.1. Node's class does what does not depend on the
 * version: headers, cork, drain, end. `Connection: close` ends the connection with GOAWAY once its streams are answered,
 * as in the reference.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { ResponseStream } from './response-stream.ts';

export interface StreamResponseParts {
  readonly req: IncomingMessage;
  readonly stream: ServerHttp2Stream;
  /** Called when the connection is to take no more requests. */
  readonly closeConnection: () => void;
}

export type StreamResponseClass = new (parts: StreamResponseParts) => ServerResponse;

type Callback = (error?: Error | null) => void;

/** What Node's class has beside its documented members. */
interface Internals {
  socket: Socket;
  _header: string | null;
  _headerSent: boolean;
  _hasBody: boolean;
  _closed: boolean;
  _sent100: boolean;
  /** Emits the pending 'drain'. */
  _flush(): void;
}

const body = Symbol('body');

/** Bytes of the body that have left the process for the client; undefined for a response of HTTP/1.1. */
export function sentOnStream(res: ServerResponse): number | undefined {
  return (res as { [body]?: ResponseStream })[body]?.sentBytes;
}

/** The class of HTTP/2 responses, derived from the one of HTTP/1.1 so that both have the same methods. */
export function streamResponseClass(base: typeof ServerResponse): StreamResponseClass {
  return class StreamResponse extends base {
    readonly [body]: ResponseStream;
    readonly #closeConnection: () => void;

    constructor({ req, stream, closeConnection }: StreamResponseParts) {
      super(req);
      this[body] = new ResponseStream(stream);
      this.#closeConnection = closeConnection;
      internalsOf(this).socket = stream as unknown as Socket;
      stream.on('close', close.bind(undefined, this));
      this.on('finish', () => {
        process.nextTick(close, this);
        if (!req.complete) this[body].refuseRest();
      });
      stream.on('drain', () => {
        internalsOf(this)._flush();
      });
    }

    /** Called by `writeHead` with the headers of both. @throws Error for a head that cannot be sent: another one may be */
    _storeHeader(_line: string, given: unknown): void {
      const internals = internalsOf(this);
      const headers = this.getHeaderNames().length > 0 ? this.getHeaders() : given;
      const { statusCode: code, sendDate } = this;
      const isLast = this[body].begin({ code, headers, hasBody: internals._hasBody, sendDate });
      internals._header = 'HTTP/2';
      internals._headerSent = true;
      if (isLast) this.#closeConnection();
    }

    /** Called for each chunk, and with an empty one at the end. */
    _send(data: string | Buffer, encoding: BufferEncoding | null, done?: Callback | null): boolean {
      if (internalsOf(this)._hasBody) return this[body].write(data, encoding ?? 'utf8', done ?? undefined);
      if (done) process.nextTick(done);
      return true;
    }

    override end(...parts: unknown[]): this {
      Reflect.apply(super.end.bind(this), this, parts);
      this[body].end();
      return this;
    }

    override destroy(): this {
      if (!this.destroyed) {
        this.destroyed = true;
        this[body].reset();
      }
      return this;
    }

    override writeContinue(done?: () => void): void {
      internalsOf(this)._sent100 = true;
      this[body].beginBody();
      done?.();
    }
  };
}

function internalsOf(res: ServerResponse): Internals {
  return res as unknown as Internals;
}

/** Once, after the response or when the stream is lost. */
function close(res: ServerResponse): void {
  const internals = internalsOf(res);
  if (internals._closed) return;
  res.destroyed = true;
  internals._closed = true;
  res.emit('close');
}
