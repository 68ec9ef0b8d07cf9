/** The stream of a response: its head becomes a HEADERS frame, bytes of the body become DATA frames. */
import { validateHeaderValue, type OutgoingHttpHeaders } from 'node:http';
import { constants, type ServerHttp2Stream } from 'node:http2';

type HeaderValue = string | number | readonly string[];
type Callback = (error?: Error | null) => void;

export interface StreamHead {
  readonly code: number;
  /** In any of the forms that `writeHead` takes. */
  readonly headers: unknown;
  readonly hasBody: boolean;
  readonly sendDate: boolean;
}

/** Headers of a connection, which a response of HTTP/2 must not have (RFC 9113, section 8.2.2). */
const connectionHeaders = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'http2-settings'],
]);

/** Makes Node reset the stream with INTERNAL_ERROR; shared, as creating one captures a stack trace. */
const brokenOff = new Error('the response breaks off');

export class ResponseStream {
  readonly #stream: ServerHttp2Stream;
  #handedBytes = 0;

  constructor(stream: ServerHttp2Stream) {
    this.#stream = stream;
  }

  /** Bytes of the body that have left the process for the client. */
  get sentBytes(): number {
    return this.#handedBytes - this.#stream.writableLength;
  }

  /** Sends the head. Returns true if it asks for the end of the connection. */
  begin({ code, headers, hasBody, sendDate }: StreamHead): boolean {
    const list: (string | number)[] = [':status', code];
    let isLast = false;
    for (const [name, value] of pairsOf(headers)) {
      const lower = name.toLowerCase();
      if (lower === 'connection' && /\bclose\b/i.test(String(value))) isLast = true;
      if (!connectionHeaders.has(lower)) addHeader(list, lower, value);
    }
    const stream = this.#stream;
    if (stream.destroyed || stream.closed) return false;
    // Node takes a flat list; its types allow only records.
    stream.respond(takesLists ? (list as unknown as string[]) : recordOf(list), {
      endStream: !hasBody,
      ...(!sendDate && { sendDate: false }),
    });
    return isLast;
  }

  /** Sends `100 Continue`. */
  beginBody(): void {
    const stream = this.#stream;
    if (!stream.destroyed && !stream.closed) stream.additionalHeaders({ ':status': 100 });
  }

  /** Sends bytes of the body. Returns false on backpressure. */
  write(data: string | Buffer, encoding: BufferEncoding, done: Callback | undefined): boolean {
    const stream = this.#stream;
    if (stream.destroyed) return false;
    if (data.length === 0) {
      // The end of the response: after everything that was written.
      if (done) stream.once('finish', done);
      return true;
    }
    this.#handedBytes += data.length;
    return stream.write(data, encoding, done);
  }

  end(): void {
    this.#stream.end();
  }

  /** The response is complete: what the client still sends is not wanted (RFC 9113, section 8.1). */
  refuseRest(): void {
    this.#stream.close(constants.NGHTTP2_NO_ERROR);
  }

  /** The client sees that the response is not complete. (`close` would end the body first, as if it were.) */
  reset(): void {
    this.#stream.destroy(brokenOff);
  }
}

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

/** A flat list is quicker; Node before 24.7 cannot take one. */
const takesLists = Number.parseInt(process.versions.node, 10) > 24;

/** The fields of a flat list by name; several of one name are a list. */
function recordOf(list: readonly (string | number)[]): OutgoingHttpHeaders {
  const record = Object.create(null) as Record<string, string | number | string[]>;
  for (let i = 0; i + 1 < list.length; i += 2) {
    const name = String(list[i]);
    const value = list[i + 1] ?? '';
    const known = record[name];
    record[name] = known === undefined ? value : [known, value].flat().map(String);
  }
  return record;
}
