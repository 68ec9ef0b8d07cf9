/**
 * A response of HTTP/2 as the message that handlers know from HTTP/1.1. Node's class does what does not depend on the
 * version (headers, cork, drain, end); here the head becomes a HEADERS frame, and bytes of the body become DATA frames
 * without chunks. `Connection: close` ends the connection with GOAWAY once its streams are answered, as in the
 * reference; other headers of a connection are left out (RFC 9113, section 8.2.2).
 */
import { validateHeaderValue, type IncomingMessage, type ServerResponse } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

export interface StreamResponseParts {
  readonly req: IncomingMessage;
  readonly stream: ServerHttp2Stream;
  /** Called when the connection is to take no more requests. */
  readonly closeConnection: () => void;
}

export type StreamResponseClass = new (parts: StreamResponseParts) => ServerResponse;

const connectionHeaders = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'http2-settings'],
]);

/** Makes Node reset the stream with INTERNAL_ERROR; shared, as creating one captures a stack trace. */
const brokenOff = new Error('the response breaks off');

type Callback = (error?: Error | null) => void;

/** What Node's class has beside its documented members. */
interface Internals {
  _header: string | null;
  _headerSent: boolean;
  _hasBody: boolean;
  _closed: boolean;
  _sent100: boolean;
  /** Emits the pending 'drain'. */
  _flush(): void;
}

/** Bytes of the body that have left the process for the client. */
const sentBytes = Symbol('sentBytes');

/** Bytes of the body that have left the process for the client; undefined for a response of HTTP/1.1. */
export function sentOnStream(res: ServerResponse): number | undefined {
  return (res as { [sentBytes]?: number })[sentBytes];
}

/** The class of HTTP/2 responses, derived from the one of HTTP/1.1 so that both have the same methods. */
export function streamResponseClass(base: typeof ServerResponse): StreamResponseClass {
  return class StreamResponse extends base {
    readonly #stream: ServerHttp2Stream;
    readonly #closeConnection: () => void;
    #handedBytes = 0;
    #drains = false;

    constructor({ req, stream, closeConnection }: StreamResponseParts) {
      super(req);
      this.#stream = stream;
      this.#closeConnection = closeConnection;
      this.#internals.socket = stream as unknown as Socket;
      stream.on('close', () => {
        this.#close();
      });
      this.on('finish', () => {
        process.nextTick(() => {
          this.#close();
        });
        // Nobody reads the rest of the body: the client may stop sending (RFC 9113, section 8.1).
        if (!req.complete) stream.close(constants.NGHTTP2_NO_ERROR);
      });
    }

    get [sentBytes](): number {
      return this.#handedBytes - this.#stream.writableLength;
    }

    get #internals(): Internals & { socket: Socket } {
      return this as unknown as Internals & { socket: Socket };
    }

    /** Called by `writeHead` with the headers of both. */
    _storeHeader(_line: string, headers: unknown): void {
      const list: (string | number)[] = [':status', this.statusCode];
      let isLast = false;
      for (const [name, value] of pairsOf(this.getHeaderNames().length > 0 ? this.getHeaders() : headers)) {
        const lower = name.toLowerCase();
        if (lower === 'connection' && /\bclose\b/i.test(String(value))) isLast = true;
        if (!connectionHeaders.has(lower)) addHeader(list, lower, value);
      }
      const internals = this.#internals;
      internals._header = 'HTTP/2';
      internals._headerSent = true;
      const stream = this.#stream;
      if (stream.destroyed || stream.closed) return;
      stream.respond(list as unknown as string[], {
        endStream: !internals._hasBody,
        ...(!this.sendDate && { sendDate: false }),
      });
      if (isLast) this.#closeConnection();
    }

    _send(data: string | Buffer, encoding: BufferEncoding | Callback | null, callback?: Callback): boolean {
      const done = typeof encoding === 'function' ? encoding : callback;
      const stream = this.#stream;
      if (stream.destroyed) return false;
      if (!this.#internals._hasBody) {
        if (done) process.nextTick(done);
        return true;
      }
      if (data.length === 0) {
        // The end of the response: after everything that was written.
        if (done) stream.once('finish', done);
        return true;
      }
      this.#handedBytes += data.length;
      return typeof data === 'string'
        ? stream.write(data, typeof encoding === 'string' ? encoding : 'utf8', done)
        : stream.write(data, done);
    }

    override write(...parts: unknown[]): boolean {
      const isTaken = Reflect.apply(super.write.bind(this), this, parts) as boolean;
      if (!isTaken && !this.#drains) {
        this.#drains = true;
        this.#stream.on('drain', () => {
          this.#internals._flush();
        });
      }
      return isTaken;
    }

    override end(...parts: unknown[]): this {
      Reflect.apply(super.end.bind(this), this, parts);
      this.#stream.end();
      return this;
    }

    /** Resets the stream, so that the client sees that the response is not complete. */
    override destroy(): this {
      if (this.destroyed) return this;
      this.destroyed = true;
      // `close` would end the body first, as if it were whole.
      this.#stream.destroy(brokenOff);
      return this;
    }

    override writeContinue(callback?: () => void): void {
      const stream = this.#stream;
      this.#internals._sent100 = true;
      if (!stream.destroyed && !stream.closed) stream.additionalHeaders({ ':status': 100 });
      callback?.();
    }

    #close(): void {
      const internals = this.#internals;
      if (internals._closed) return;
      this.destroyed = true;
      internals._closed = true;
      this.emit('close');
    }
  };
}

type HeaderValue = string | number | readonly string[];

function* pairsOf(headers: unknown): Iterable<readonly [string, HeaderValue]> {
  if (!Array.isArray(headers)) {
    if (headers !== null && headers !== undefined)
      yield* Object.entries(headers as Record<string, HeaderValue>);
    return;
  }
  const list = headers as readonly (HeaderValue | readonly [string, HeaderValue])[];
  if (Array.isArray(list[0])) yield* list as readonly (readonly [string, HeaderValue])[];
  else for (let i = 0; i + 1 < list.length; i += 2) yield [String(list[i]), list[i + 1] as HeaderValue];
}

function addHeader(list: (string | number)[], name: string, value: HeaderValue): void {
  if (typeof value === 'object') {
    for (const one of value) addHeader(list, name, one);
    return;
  }
  const text = String(value);
  validateHeaderValue(name, text);
  list.push(name, text);
}
