/** Reads and writes HTTP/2 frames (RFC 9113, sections 4 and 6). */
import { PeerError } from './peer-error.ts';
import type { Piece } from './piece.ts';

export const frameType = {
  ...{ data: 0, headers: 1, priority: 2, reset: 3, settings: 4, pushPromise: 5, ping: 6, goAway: 7 },
  ...{ windowUpdate: 8, continuation: 9 },
} as const;

export const flag = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

export const errorCode = { none: 0, refused: 7, cancel: 8 } as const;

export const setting = { headerTableSize: 1, enablePush: 2, maxStreams: 3, initialWindow: 4 } as const;

/** Initial values of settings. */
export const usual = { window: 65_535, maxFrame: 16_384, headerTable: 4096 } as const;

/** Length of a frame header. */
const headLength = 9;

export interface FrameHead {
  readonly type: number;
  readonly flags: number;
  /** 0 for the connection itself. */
  readonly stream: number;
}

/** A frame with the given payload. */
export function frame(head: FrameHead, payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(headLength + payload.length);
  writeHead(bytes, 0, head, payload.length);
  bytes.set(payload, headLength);
  return bytes;
}

/** Headers and a body that fits into one frame, as in most calls. */
export function callFrames(stream: number, block: Buffer, body: Buffer): Piece {
  return {
    length: 2 * headLength + block.length + body.length,
    copy: (target, at) => {
      writeHead(target, at, { type: frameType.headers, flags: flag.endHeaders, stream }, block.length);
      block.copy(target, at + headLength);
      const next = at + headLength + block.length;
      writeHead(target, next, { type: frameType.data, flags: flag.endStream, stream }, body.length);
      body.copy(target, next + headLength);
    },
  };
}

function writeHead(bytes: Buffer, at: number, { type, flags, stream }: FrameHead, length: number): void {
  bytes[at] = length >>> 16;
  bytes[at + 1] = length >>> 8;
  bytes[at + 2] = length;
  bytes[at + 3] = type;
  bytes[at + 4] = flags;
  bytes.writeUInt32BE(stream, at + 5);
}

/** A frame whose payload is a 32-bit number. */
export function numberFrame(head: FrameHead, value: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt32BE(value, 0);
  return frame(head, payload);
}

/** A SETTINGS frame. */
export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.allocUnsafe(settings.length * 6);
  settings.forEach(([id, value], index) => {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  });
  return frame({ type: frameType.settings, flags: 0, stream: 0 }, payload);
}

/** A GOAWAY frame of a client, which has served no streams. */
export function goAwayFrame(code: number): Buffer {
  const payload = Buffer.alloc(8);
  payload.writeUInt32BE(code, 4);
  return frame({ type: frameType.goAway, flags: 0, stream: 0 }, payload);
}

/** The 31-bit number at the start of a payload; the first bit is reserved. */
export function numberOf(payload: Buffer): number {
  return payload.readUInt32BE(0) & 0x7fff_ffff;
}

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** The connection preface of a client: no dynamic table, no push, and this stream window. */
export function greeting(streamWindow: number): Buffer {
  const ours = settingsFrame([
    [setting.headerTableSize, 0],
    [setting.enablePush, 0],
    [setting.initialWindow, streamWindow],
  ]);
  return Buffer.concat([preface, ours]);
}

/** Splits received chunks into frames. Payloads are views into chunks: copy what is kept. */
export class FrameReader {
  readonly #onFrame: (head: FrameHead, payload: Buffer) => void;
  /** The received part of an incomplete frame. */
  #rest: Buffer | undefined;

  constructor(onFrame: (head: FrameHead, payload: Buffer) => void) {
    this.#onFrame = onFrame;
  }

  /** @throws Error if a frame exceeds the maximum size */
  read(chunk: Buffer): void {
    let at = this.#finishRest(chunk);
    while (at >= 0 && at < chunk.length) {
      const end = frameEnd(chunk, at);
      if (end > chunk.length) {
        this.#rest = chunk.subarray(at);
        return;
      }
      this.#tell(chunk, at, end);
      at = end;
    }
  }

  /** Start of the next frame in the chunk; -1 if the previous frame is still incomplete. */
  #finishRest(chunk: Buffer): number {
    let at = 0;
    // First the header with the length, then the payload.
    while (this.#rest !== undefined) {
      const missing = frameEnd(this.#rest, 0) - this.#rest.length;
      if (missing <= 0) {
        const whole = this.#rest;
        this.#rest = undefined;
        this.#tell(whole, 0, whole.length);
        return at;
      }
      if (at >= chunk.length) return -1;
      const more = chunk.subarray(at, at + missing);
      this.#rest = Buffer.concat([this.#rest, more]);
      at += more.length;
    }
    return at;
  }

  #tell(bytes: Buffer, at: number, end: number): void {
    const head = {
      type: bytes[at + 3] ?? 0,
      flags: bytes[at + 4] ?? 0,
      stream: bytes.readUInt32BE(at + 5) & 0x7fff_ffff,
    };
    this.#onFrame(head, bytes.subarray(at + headLength, end));
  }
}

/** End of the frame at this position; end of its header while that is incomplete. */
function frameEnd(bytes: Buffer, at: number): number {
  if (bytes.length - at < headLength) return at + headLength;
  const length = bytes.readUIntBE(at, 3);
  if (length > usual.maxFrame) throw new PeerError('frameSize', `a frame has ${length} bytes`);
  return at + headLength + length;
}
