/** The server's end of SPDY/3.1 (draft-mbelshe-httpbis-spdy-00), as far as kubectl speaks it: many streams, no windows. */
import type { Duplex, Readable } from 'node:stream';
import { constants, createDeflate, createInflate } from 'node:zlib';

const names = [
  ...['options', 'head', 'post', 'put', 'delete', 'trace', 'accept', 'accept-charset', 'accept-encoding'],
  ...['accept-language', 'accept-ranges', 'age', 'allow', 'authorization', 'cache-control', 'connection'],
  ...['content-base', 'content-encoding', 'content-language', 'content-length', 'content-location'],
  ...['content-md5', 'content-range', 'content-type', 'date', 'etag', 'expect', 'expires', 'from', 'host'],
  ...['if-match', 'if-modified-since', 'if-none-match', 'if-range', 'if-unmodified-since', 'last-modified'],
  ...['location', 'max-forwards', 'pragma', 'proxy-authenticate', 'proxy-authorization', 'range', 'referer'],
  ...['retry-after', 'server', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent', 'vary', 'via'],
  ...['warning', 'www-authenticate', 'method', 'get', 'status', '200 OK', 'version', 'HTTP/1.1', 'url'],
  ...['public', 'set-cookie', 'keep-alive', 'origin'],
];
const values =
  '100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505203 ' +
  'Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 ' +
  'Forbidden404 Not Found500 Internal Server Error501 Not Implemented503 Service UnavailableJan Feb Mar Apr ' +
  'May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMTchunked,text/html,' +
  'image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,' +
  'publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0.';
/** Section 2.6.10.1. */
const dictionary = Buffer.concat([...names.map(sized), Buffer.from(values)]);

const types = { synStream: 1, synReply: 2, reset: 3, ping: 6, goAway: 7 };
const fin = 1;
const version = 3;
const headBytes = 8;

/** One stream; the handlers are set before any of its data is read. */
export class SpdyStream {
  readonly headers: ReadonlyMap<string, string>;
  onData: (data: Buffer) => void = () => undefined;
  onEnd: () => void = () => undefined;
  readonly #id: number;
  readonly #socket: Duplex;

  constructor(id: number, headers: ReadonlyMap<string, string>, socket: Duplex) {
    this.#id = id;
    this.headers = headers;
    this.#socket = socket;
  }

  send(data: Buffer | string): void {
    const bytes = Buffer.from(data);
    for (let at = 0; at < bytes.length; at += 0x8000) this.#write(bytes.subarray(at, at + 0x8000), 0);
  }

  /** Nothing more is sent. */
  end(): void {
    this.#write(Buffer.alloc(0), fin);
  }

  #write(data: Buffer, flags: number): void {
    const head = Buffer.alloc(headBytes);
    head.writeUInt32BE(this.#id);
    head.writeUInt32BE(flags * 0x1000000 + data.length, 4);
    if (this.#socket.writable) this.#socket.write(Buffer.concat([head, data]));
  }
}

export interface SpdyEnd {
  readonly socket: Duplex;
  /** What came with the request. */
  readonly head: Buffer;
  readonly onStream: (stream: SpdyStream) => void;
}

/** Accepts all streams of the client, until it ends the connection. */
export async function serveSpdy({ socket, head, onStream }: SpdyEnd): Promise<void> {
  const streams = new Map<number, SpdyStream>();
  const inflate = codec(createInflate({ dictionary, finishFlush: constants.Z_SYNC_FLUSH }));
  const deflate = codec(createDeflate({ dictionary }));
  for await (const { isControl, kind, flags, payload } of framesIn(socket, head)) {
    const id = isControl && kind !== types.goAway ? payload.readUInt32BE(0) & 0x7fffffff : kind;
    if (!isControl) streams.get(id)?.onData(payload);
    else if (kind === types.synStream) {
      const stream = new SpdyStream(id, readHeaders(await inflate(payload.subarray(10))), socket);
      streams.set(id, stream);
      const none = await deflate(Buffer.alloc(4));
      socket.write(control(types.synReply, Buffer.concat([payload.subarray(0, 4), none])));
      onStream(stream);
    } else if (kind === types.ping) socket.write(control(types.ping, payload));
    const isOver = (isControl && kind === types.reset) || (flags & fin) !== 0;
    if (isOver) streams.get(id)?.onEnd();
  }
  for (const stream of streams.values()) stream.onEnd();
}

interface SpdyFrame {
  readonly isControl: boolean;
  /** The type, or the stream of data. */
  readonly kind: number;
  readonly flags: number;
  readonly payload: Buffer;
}

async function* framesIn(socket: Duplex, head: Buffer): AsyncGenerator<SpdyFrame> {
  let rest = head;
  const frames = function* (): Generator<SpdyFrame> {
    while (rest.length >= headBytes) {
      const length = rest.readUIntBE(5, 3);
      if (rest.length < headBytes + length) return;
      const [first, payload] = [rest.readUInt32BE(0), rest.subarray(headBytes, headBytes + length)];
      const isControl = first >= 0x80000000;
      const flags = rest[4] ?? 0;
      rest = rest.subarray(headBytes + length);
      yield { isControl, kind: isControl ? first & 0xffff : first, flags, payload };
    }
  };
  yield* frames();
  for await (const chunk of socket) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    yield* frames();
  }
}

function control(type: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt16BE(0x8000 | version);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(payload.length, 4);
  return Buffer.concat([head, payload]);
}

/** All header blocks of a direction share one state of the compression. */
function codec(
  stream: ReturnType<typeof createInflate> | ReturnType<typeof createDeflate>,
): (block: Buffer) => Promise<Buffer> {
  return (block) =>
    new Promise((resolve, reject) => {
      stream.once('error', reject);
      stream.write(block);
      stream.flush(constants.Z_SYNC_FLUSH, () => {
        const chunks: Buffer[] = [];
        for (let chunk = next(stream); chunk !== null; chunk = next(stream)) chunks.push(chunk);
        stream.off('error', reject);
        resolve(Buffer.concat(chunks));
      });
    });
}

function next(stream: Readable): Buffer | null {
  return stream.read() as Buffer | null;
}

function readHeaders(block: Buffer): Map<string, string> {
  const headers = new Map<string, string>();
  let at = 4;
  const text = (): string => {
    const length = block.readUInt32BE(at);
    at += 4 + length;
    return block.toString('utf8', at - length, at);
  };
  for (let left = block.readUInt32BE(0); left > 0; left--) headers.set(text().toLowerCase(), text());
  return headers;
}

function sized(name: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(name));
  return Buffer.concat([length, Buffer.from(name)]);
}
