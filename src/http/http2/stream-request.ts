/**
 * A request of HTTP/2 as the message that handlers know from HTTP/1.1: `:authority` is its Host, and a body of unknown
 * length has `Transfer-Encoding: chunked`, as a gateway would pass it on (RFC 9113, section 8.3.1). Everything about the
 * body concerns its stream only: neither an error nor an early end closes the connection.
 */
import { IncomingMessage } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

export interface StreamRequestHead {
  readonly stream: ServerHttp2Stream;
  /** The socket of the connection. */
  readonly socket: Socket;
  /** Pseudo-headers and headers, names and values alternating. */
  readonly rawHeaders: readonly string[];
}

export type StreamRequestClass = new (head: StreamRequestHead) => IncomingMessage;

/** Node's method that takes the raw headers of a message; its types do not have it. */
interface TakesHeaders {
  _addHeaderLines(rawHeaders: string[], count: number): void;
}

/** The class of HTTP/2 requests, derived from the one of HTTP/1.1 so that both have the same methods. */
export function streamRequestClass(base: typeof IncomingMessage): StreamRequestClass {
  return class StreamRequest extends base {
    readonly #stream: ServerHttp2Stream;
    #isAttached = false;

    constructor({ stream, socket, rawHeaders }: StreamRequestHead) {
      super(socket);
      this.#stream = stream;
      this.httpVersion = '2.0';
      this.httpVersionMajor = 2;
      this.httpVersionMinor = 0;
      const { method, path, headers } = readHead(rawHeaders, stream.endAfterHeaders);
      this.method = method;
      this.url = path;
      (this as unknown as TakesHeaders)._addHeaderLines(headers, headers.length);
      // After the headers: Node takes those of a complete message for trailers.
      this.complete = stream.endAfterHeaders;
      if (!this.complete)
        stream.on('close', () => {
          if (!this.complete) this.destroy();
        });
    }

    override _read(): void {
      if (this.complete) this.push(null);
      else if (this.#isAttached) this.#stream.resume();
      else this.#attach();
    }

    /** Node's would close the connection. */
    override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
      done(error);
    }

    #attach(): void {
      this.#isAttached = true;
      const stream = this.#stream;
      stream.on('data', (chunk: Buffer) => {
        if (!this.push(chunk)) stream.pause();
      });
      stream.on('end', () => {
        // Node also ends what the client has reset; such a body is not whole.
        if (stream.aborted || stream.rstCode !== 0) this.destroy();
        else {
          this.complete = true;
          this.push(null);
        }
      });
    }
  };
}

interface Head {
  readonly method: string;
  readonly path: string;
  readonly headers: string[];
}

function readHead(rawHeaders: readonly string[], isComplete: boolean): Head {
  const headers: string[] = [];
  let [method, path, authority] = ['', '/', ''];
  let hasLength = isComplete;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    const value = rawHeaders[i + 1] ?? '';
    if (name === ':method') method = value;
    else if (name === ':path') path = value;
    else if (name === ':authority') authority = value;
    else if (!name.startsWith(':')) headers.push(name, value);
    if (name === 'content-length') hasLength = true;
  }
  if (!hasLength) headers.push('transfer-encoding', 'chunked');
  return { method, path, headers: authority === '' ? headers : ['host', authority, ...withoutHost(headers)] };
}

/** `:authority` replaces Host. */
function withoutHost(headers: readonly string[]): readonly string[] {
  if (!headers.includes('host')) return headers;
  return headers.filter((_text, i) => headers[i - (i % 2)] !== 'host');
}
