/** A client of HTTP/2 that sends any frames, also wrong ones and far too many. */
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import {
  flag,
  frame,
  FrameReader,
  frameType,
  greeting,
  numberFrame,
  type FrameHead,
} from '../../../src/storage/etcd/http2/frames.ts';
import type { Credential } from '../pki.ts';

export interface ReceivedFrame extends FrameHead {
  readonly payload: Buffer;
}

export interface PeerOptions {
  /** Whether it acknowledges settings; default true. */
  readonly acknowledges?: boolean;
  /** Its certificate; default none. */
  readonly client?: Credential;
}

export class Http2Peer {
  readonly socket: TLSSocket;
  readonly frames: ReceivedFrame[] = [];
  isClosed = false;

  private constructor(socket: TLSSocket, acknowledges: boolean) {
    this.socket = socket;
    const reader = new FrameReader((head, payload) => {
      this.frames.push({ ...head, payload: Buffer.from(payload) });
      if (acknowledges && head.type === frameType.settings && (head.flags & flag.ack) === 0)
        this.send(frame({ type: frameType.settings, flags: flag.ack, stream: 0 }, Buffer.alloc(0)));
    });
    socket.on('data', (chunk: Buffer) => {
      reader.read(chunk);
    });
    socket.on('error', () => undefined);
    socket.once('close', () => (this.isClosed = true));
  }

  /** Connects and sends the preface, with this window for each stream. */
  static async open(
    port: number,
    ca: string,
    window = 65_535,
    { acknowledges = true, client }: PeerOptions = {},
  ): Promise<Http2Peer> {
    const identity = client && { cert: client.cert, key: client.key };
    const socket = connect({ host: '127.0.0.1', port, ca, ALPNProtocols: ['h2'], ...identity });
    await once(socket, 'secureConnect');
    const peer = new Http2Peer(socket, acknowledges);
    peer.send(greeting(window));
    return peer;
  }

  send(...frames: readonly Buffer[]): void {
    if (this.socket.writable) this.socket.write(Buffer.concat(frames));
  }

  /** Frames of a type, of one stream or of all. */
  of(type: keyof typeof frameType, stream?: number): ReceivedFrame[] {
    return this.frames.filter(
      (f) => f.type === frameType[type] && (stream === undefined || f.stream === stream),
    );
  }

  /** The error code of GOAWAY; undefined before. */
  get goAwayCode(): number | undefined {
    return this.of('goAway').at(-1)?.payload.readUInt32BE(4);
  }

  /** The error code of RST_STREAM for this stream; undefined before. */
  resetCode(stream: number): number | undefined {
    return this.of('reset', stream)[0]?.payload.readUInt32BE(0);
  }

  close(): void {
    this.socket.destroy();
  }
}

/** HEADERS of a GET that is complete. */
export function getFrame(stream: number, path: string, extra: readonly [string, string][] = []): Buffer {
  const flags = flag.endHeaders | flag.endStream;
  return frame({ type: frameType.headers, flags, stream }, requestBlock('GET', path, extra));
}

/** A header block without compression (RFC 7541, section 6.2.2). */
export function requestBlock(method: string, path: string, extra: readonly [string, string][] = []): Buffer {
  const pairs: [string, string][] = [
    [':method', method],
    [':scheme', 'https'],
    [':path', path],
  ];
  return Buffer.concat([...pairs, [':authority', 'x'] as const, ...extra].map(([k, v]) => literal(k, v)));
}

function literal(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), stringOf(name), stringOf(value)]);
}

function stringOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([lengthOf(bytes.length), bytes]);
}

/** An integer with a prefix of 7 bits (RFC 7541, section 5.1). */
function lengthOf(length: number): Buffer {
  if (length < 127) return Buffer.from([length]);
  const bytes = [127];
  let rest = length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** RST_STREAM. */
export function resetFrame(stream: number, code: number): Buffer {
  return numberFrame({ type: frameType.reset, flags: 0, stream }, code);
}
