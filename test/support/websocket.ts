/** Both ends of a WebSocket (RFC 6455), as far as tests need them: nothing in parts. */
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { request } from 'node:https';

export interface Frame {
  /** 1: text, 2: binary, 8: close, 9: ping, 10: pong. */
  readonly opcode: number;
  readonly data: Buffer;
}

const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export class WebSocketEnd {
  readonly socket: Duplex;
  readonly frames: Frame[] = [];
  isOver = false;
  onFrame: (frame: Frame) => void = () => undefined;
  readonly #masks: boolean;
  #rest: Buffer;

  constructor(socket: Duplex, head: Buffer, masks: boolean) {
    this.socket = socket;
    this.#masks = masks;
    this.#rest = Buffer.alloc(0);
    this.#take(head);
    socket.on('data', (chunk: Buffer) => {
      this.#take(chunk);
    });
    socket.on('error', () => undefined).on('close', () => (this.isOver = true));
  }

  send(data: string | Buffer, opcode = typeof data === 'string' ? 1 : 2): void {
    this.socket.write(frameOf(Buffer.from(data), opcode, this.#masks));
  }

  #take(chunk: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let read = readFrame(this.#rest); read; read = readFrame(this.#rest)) {
      this.#rest = this.#rest.subarray(read.length);
      this.frames.push(read.frame);
      this.onFrame(read.frame);
    }
  }
}

/** The end of the server: answers the handshake with the first protocol that it speaks. */
export function acceptWebSocket(
  req: IncomingMessage,
  { socket, head }: { readonly socket: Duplex; readonly head: Buffer },
  protocol: string,
): WebSocketEnd {
  const accepted = createHash('sha1')
    .update(`${req.headers['sec-websocket-key'] ?? ''}${guid}`)
    .digest('base64');
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
  lines.push(`Sec-WebSocket-Accept: ${accepted}`, `Sec-WebSocket-Protocol: ${protocol}`, '', '');
  socket.write(lines.join('\r\n'));
  return new WebSocketEnd(socket, head, false);
}

export interface OpenOptions {
  readonly port: number;
  readonly ca: string;
  readonly path: string;
  readonly protocols?: readonly string[];
  readonly headers?: Record<string, string>;
}

/** The end of the client. Rejects with the status code where the server does not change the protocol. */
export function openWebSocket(
  options: OpenOptions,
): Promise<{ readonly end: WebSocketEnd; readonly response: IncomingMessage }> {
  const { port, ca, path, protocols = [], headers = {} } = options;
  const key = randomBytes(16).toString('base64');
  return new Promise((resolve, reject) => {
    const sent = request({
      ...{ host: '127.0.0.1', port, ca, path, agent: false },
      headers: {
        ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
        'sec-websocket-key': key,
        ...(protocols.length > 0 && { 'sec-websocket-protocol': protocols.join(', ') }),
        ...headers,
      },
    });
    sent.on('upgrade', (response, socket, head: Buffer) => {
      const expected = createHash('sha1').update(`${key}${guid}`).digest('base64');
      if (response.headers['sec-websocket-accept'] !== expected) reject(new Error('a wrong accept key'));
      resolve({ end: new WebSocketEnd(socket, head, true), response });
    });
    sent.on('response', (response) => {
      response.resume();
      reject(new Error(`status code ${String(response.statusCode)}`));
    });
    sent.on('error', reject).end();
  });
}

function frameOf(data: Buffer, opcode: number, masks: boolean): Buffer {
  const mask = masks ? randomBytes(4) : Buffer.alloc(0);
  const flag = masks ? 0x80 : 0;
  const head = Buffer.from([0x80 | opcode, flag | (data.length < 126 ? data.length : 127)]);
  const length = Buffer.alloc(data.length < 126 ? 0 : 8);
  if (data.length >= 126) length.writeBigUInt64BE(BigInt(data.length));
  const payload = masks ? data.map((byte, i) => byte ^ (mask[i % 4] ?? 0)) : data;
  return Buffer.concat([head, length, mask, payload]);
}

function readFrame(bytes: Buffer): { readonly frame: Frame; readonly length: number } | undefined {
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const extra = short === 127 ? 8 : short === 126 ? 2 : 0;
  const isMasked = (second & 0x80) !== 0;
  const at = 2 + extra + (isMasked ? 4 : 0);
  if (bytes.length < at) return undefined;
  const size = extra === 8 ? Number(bytes.readBigUInt64BE(2)) : extra === 2 ? bytes.readUInt16BE(2) : short;
  if (bytes.length < at + size) return undefined;
  const mask = bytes.subarray(at - 4, at);
  const payload = bytes.subarray(at, at + size);
  const data = isMasked
    ? Buffer.from(payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0)))
    : Buffer.from(payload);
  return { frame: { opcode: first & 0x0f, data }, length: at + size };
}
