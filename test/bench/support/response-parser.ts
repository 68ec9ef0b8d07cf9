/**
 * Reads HTTP/1.1 responses off a stream of bytes, without keeping bodies.
 *
 *   head ──► fixed ─────────────────────────► head
 *     └────► size ──► data ──► size … 0 ────► head
 */

export interface ParserEvents {
  /** Pieces of a body, without the framing of chunks. */
  readonly onPayload?: (payload: Buffer) => void;
  readonly onHead?: (status: number) => void;
  readonly onEnd: (status: number, bytes: number) => void;
}

type State = 'head' | 'fixed' | 'size' | 'data';

const headEnd = Buffer.from('\r\n\r\n');

export class ResponseParser {
  readonly #events: ParserEvents;
  #state: State = 'head';
  #rest: Buffer = Buffer.alloc(0);
  #status = 0;
  #left = 0;
  #bytes = 0;

  constructor(events: ParserEvents) {
    this.#events = events;
  }

  push(chunk: Buffer): void {
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = Buffer.alloc(0);
    while (data.length > 0) {
      const used = this.#step(data);
      if (used === 0) {
        this.#rest = data;
        return;
      }
      data = data.subarray(used);
    }
  }

  /** How many bytes were used; 0 when more are needed. */
  #step(data: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(data);
      case 'size':
        return this.#readSize(data);
      case 'fixed':
      case 'data':
        return this.#readPayload(data);
    }
  }

  #readHead(data: Buffer): number {
    const end = data.indexOf(headEnd);
    if (end < 0) return 0;
    const head = data.toString('latin1', 0, end);
    this.#status = Number(head.slice(9, 12));
    this.#bytes = 0;
    this.#left = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    this.#events.onHead?.(this.#status);
    this.#state = /\r\ntransfer-encoding: *chunked/i.test(head) ? 'size' : 'fixed';
    if (this.#state === 'fixed' && this.#left === 0) this.#end();
    return end + headEnd.length;
  }

  #readSize(data: Buffer): number {
    const end = data.indexOf('\r\n');
    if (end < 0) return 0;
    const size = parseInt(data.toString('latin1', 0, end), 16);
    if (size === 0) {
      if (data.length < end + 4) return 0;
      this.#end();
      return end + 4;
    }
    // The line end after the data counts as data, and is not handed on.
    this.#left = size + 2;
    this.#state = 'data';
    return end + 2;
  }

  #readPayload(data: Buffer): number {
    const used = Math.min(this.#left, data.length);
    const trailing = this.#state === 'data' ? 2 : 0;
    const payload = Math.max(0, Math.min(used, this.#left - trailing));
    this.#bytes += payload;
    if (payload > 0) this.#events.onPayload?.(data.subarray(0, payload));
    this.#left -= used;
    if (this.#left === 0) {
      if (this.#state === 'fixed') this.#end();
      else this.#state = 'size';
    }
    return used;
  }

  #end(): void {
    this.#state = 'head';
    this.#events.onEnd(this.#status, this.#bytes);
  }
}
