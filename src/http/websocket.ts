/** The server's side of a WebSocket that only sends (RFC 6455): what the client sends beside ping and close is dropped. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { PassiveClock } from '../base/clock.ts';
import { SharedSlice } from '../base/cooperate.ts';
import { TokenBucket, type Rate } from '../base/token-bucket.ts';
import { badRequest } from '../meta/status.ts';
import { closeAfterLinger } from './unread-body.ts';

const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** RFC 6455, section 5.2. */
const opcodes = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 };
/** Control frames have at most so many bytes (section 5.5). */
const maxControlBytes = 125;
/** Status codes of close frames (section 7.4.1). */
const closeCodes = { normal: 1000, protocolError: 1002, policyViolation: 1008 };
/** What a client may send: frames, and KiB of messages. It has nothing to say but pings. */
const receiveRate: Rate = { qps: 100, burst: 2_000 };
/** Frames that are read as they come; of what comes with them, all WebSockets together read a slice in a turn. */
const framesAtOnce = 16;
const reading = new SharedSlice();

/** Whether a request asks for a WebSocket. */
export function wantsWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * The response that opens the WebSocket.
 * @param chosen subprotocol, '' for none; absent: a single one is accepted as it is, as in the reference
 * @throws StatusError 400 for another version, or a handshake without a key
 */
export function handshakeOf({ headers }: IncomingMessage, chosen?: string): string {
  const key = headers['sec-websocket-key'] ?? '';
  if (headers['sec-websocket-version'] !== '13') throw badRequest('the WebSocket must be of version 13');
  if (!/^[A-Za-z0-9+/]{22}==$/.test(key))
    throw badRequest('the key of the WebSocket is no 16 bytes in base64');
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((text) => text.trim());
  const [single = ''] = protocols.length === 1 ? protocols : [];
  const protocol = chosen ?? single;
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
  lines.push(
    `Sec-WebSocket-Accept: ${createHash('sha1')
      .update(key + guid)
      .digest('base64')}`,
  );
  if (protocol !== '') lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
  return [...lines, '', ''].join('\r\n');
}

/** Head and payload of a message in one frame; servers do not mask. */
export function messageFrame(payload: Buffer, isBinary: boolean): Buffer[] {
  return [headOf(isBinary ? opcodes.binary : opcodes.text, payload.length), payload];
}

function headOf(opcode: number, length: number): Buffer {
  if (length <= maxControlBytes) return Buffer.from([0x80 | opcode, length]);
  if (length <= 0xffff) return Buffer.from([0x80 | opcode, 126, length >> 8, length & 0xff]);
  const head = Buffer.alloc(10);
  head[0] = 0x80 | opcode;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

/** The frame that ends a WebSocket. */
export function closeFrame(code = closeCodes.normal): Buffer {
  return Buffer.from([0x80 | opcodes.close, 2, code >> 8, code & 0xff]);
}

/**
 * Reads what the client sends: answers pings, and ends the connection after a close frame, a broken one, or too many. A
 * frame has 6 bytes or more, so that a client could send ten thousand in one read.
 */
export class ClientFrames {
  readonly #socket: Duplex;
  readonly #received: TokenBucket;
  /** Of the frame that is being read: its head, for control frames with the payload. */
  #held: Buffer = Buffer.alloc(0);
  /** Bytes of a message that are still to be dropped. */
  #toDrop = 0;
  /** Mask and payload of the last ping that is not answered yet. */
  #ping: Buffer | undefined = undefined;
  #isOver = false;

  constructor(socket: Duplex, head: Buffer, clock: Pick<PassiveClock, 'monotonic'>) {
    this.#received = new TokenBucket(receiveRate, clock);
    this.#socket = socket;
    this.#take(head);
    socket.on('data', (chunk: Buffer) => {
      this.#take(chunk);
    });
    socket.on('end', () => socket.end());
  }

  #take(chunk: Buffer): void {
    let rest = chunk;
    for (let frames = 0; rest.length > 0 && !this.#isOver; frames += 1) {
      if (frames >= framesAtOnce && reading.shouldYield()) {
        void this.#takeLater(rest);
        return;
      }
      if (this.#toDrop > 0) rest = this.#drop(rest);
      else if (this.#received.tryTake()) rest = this.#read(rest);
      else this.#endFlood();
    }
    this.#pong();
  }

  /** Nothing more is read of the connection meanwhile. */
  async #takeLater(rest: Buffer): Promise<void> {
    this.#socket.pause();
    await reading.yieldNow();
    if (this.#socket.destroyed) return;
    this.#socket.resume();
    this.#take(rest);
  }

  #drop(chunk: Buffer): Buffer {
    const dropped = Math.min(this.#toDrop, chunk.length);
    this.#toDrop -= dropped;
    if (!this.#received.tryTake(dropped / 1024)) this.#endFlood();
    return chunk.subarray(dropped);
  }

  /** Reads on in the head, or in a control frame, and returns what follows. */
  #read(chunk: Buffer): Buffer {
    const isNew = this.#held.length === 0;
    const bytes = isNew ? chunk : Buffer.concat([this.#held, chunk.subarray(0, maxControlBytes + 14)]);
    const frame = headIn(bytes);
    if (frame === undefined) return this.#hold(bytes, chunk);
    const { opcode, headBytes, length, isMasked } = frame;
    const isControl = opcode >= opcodes.close;
    if (!isMasked || (isControl && length > maxControlBytes)) return this.#end(closeCodes.protocolError);
    if (isControl && bytes.length < headBytes + length) return this.#hold(bytes, chunk);
    const used = headBytes + (isControl ? length : 0) - this.#held.length;
    this.#held = Buffer.alloc(0);
    if (!isControl) this.#toDrop = length;
    else if (opcode === opcodes.ping) this.#ping = bytes.subarray(headBytes - 4, headBytes + length);
    else if (opcode === opcodes.close) return this.#end(closeCodes.normal);
    return chunk.subarray(used);
  }

  /** All of it is part of one frame. */
  #hold(bytes: Buffer, chunk: Buffer): Buffer {
    this.#held = Buffer.from(bytes);
    return chunk.subarray(chunk.length);
  }

  /** Of several pings the last one is answered (section 5.5.3). A client that does not read gets no more pongs. */
  #pong(): void {
    const masked = this.#ping;
    this.#ping = undefined;
    if (masked === undefined || this.#isOver || this.#socket.writableNeedDrain) return;
    const payload = Buffer.from(masked.subarray(4).map((byte, i) => byte ^ (masked[i % 4] ?? 0)));
    this.#socket.write(Buffer.concat([headOf(opcodes.pong, payload.length), payload]));
  }

  #endFlood(): void {
    this.#end(closeCodes.policyViolation);
    this.#socket.pause();
  }

  /** A client that stays after the close frame is closed. */
  #end(code: number): Buffer {
    this.#isOver = true;
    if (this.#socket.writable) this.#socket.end(closeFrame(code));
    closeAfterLinger(this.#socket);
    return Buffer.alloc(0);
  }
}

interface FrameHead {
  readonly opcode: number;
  /** With the mask. */
  readonly headBytes: number;
  readonly length: number;
  readonly isMasked: boolean;
}

/** undefined until the head is whole. */
function headIn(bytes: Buffer): FrameHead | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  const short = second & 0x7f;
  const extra = short === 127 ? 8 : short === 126 ? 2 : 0;
  const isMasked = (second & 0x80) !== 0;
  const headBytes = 2 + extra + (isMasked ? 4 : 0);
  if (bytes.length < headBytes) return undefined;
  const length = extra === 8 ? Number(bytes.readBigUInt64BE(2)) : extra === 2 ? bytes.readUInt16BE(2) : short;
  return { opcode: first & 0x0f, headBytes, length, isMasked };
}
