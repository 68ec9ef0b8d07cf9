/**
 * Reads the responses of backends. One in chunks of few bytes, as logs may be, costs the parser microseconds per chunk:
 * 64 KiB of chunks of one byte take as long as tens of megabytes in large ones. Such backends are read in turn, and what has
 * arrived by then passes on as one piece.
 */
import { on } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ReadTurns, type ReadSource } from '../base/read-turns.ts';

/** The part of a read that is content if its chunks have more than about 40 bytes. */
const cheapContent = 0.87;
/** Reads that are too small to cost much. */
const cheapBytes = 4 * 1024;

const turns = new ReadTurns();

/** The connection of one request to a backend. */
export class BackendReading implements ReadSource {
  #socket: Socket | undefined;
  #response: IncomingMessage | undefined;
  #bufferedBytes = 0;
  #isHeld = false;

  constructor(sent: ClientRequest) {
    sent.on('socket', (socket) => this.#follow(socket));
    sent.on('response', (response) => (this.#response = response));
    sent.on('upgrade', () => this.#leave()).on('close', () => this.#leave());
  }

  /**
   * The body in pieces of what has arrived. The response is closed when the caller stops reading.
   * @throws Error when the response ends early
   */
  async *body(): AsyncGenerator<Buffer> {
    const response = this.#response;
    if (!response) return;
    try {
      for await (const _event of on(response, 'readable', { close: ['end', 'close'] })) {
        for (let bytes = readAll(response); bytes !== null; bytes = readAll(response)) yield bytes;
      }
    } finally {
      response.destroy();
    }
  }

  pause(): boolean {
    if (this.#isHeld) return false;
    this.#isHeld = true;
    this.#socket?.pause();
    return true;
  }

  resume(): void {
    this.#isHeld = false;
    // Otherwise the connection goes on when the body is read.
    if (!this.#isFull()) this.#socket?.resume();
  }

  /** Node's parser is a listener of the same event, between these two. */
  #follow(socket: Socket): void {
    this.#socket = socket;
    turns.add(this);
    socket.prependListener('data', this.#beforeParsing).on('data', this.#afterParsing);
    socket.on('resume', this.#keepHeld);
  }

  #leave(): void {
    const socket = this.#socket;
    if (!socket) return;
    turns.remove(this);
    // The owner of the connection may use it again.
    if (this.#isHeld) this.resume();
    this.#socket = undefined;
    socket.off('data', this.#beforeParsing).off('data', this.#afterParsing).off('resume', this.#keepHeld);
  }

  readonly #beforeParsing = (): void => {
    this.#bufferedBytes = this.#response?.readableLength ?? 0;
  };

  readonly #afterParsing = (read: Buffer): void => {
    if (!this.#socket) return;
    const content = (this.#response?.readableLength ?? 0) - this.#bufferedBytes;
    if (read.length <= cheapBytes || content >= read.length * cheapContent) return;
    if (this.#response?.complete === true) return;
    turns.noteCostlyRead(this);
  };

  /** Node resumes the connection after each piece of the body; this comes before bytes flow. */
  readonly #keepHeld = (): void => {
    if (this.#isHeld) this.#socket?.pause();
  };

  #isFull(): boolean {
    const response = this.#response;
    return response !== undefined && response.readableLength >= response.readableHighWaterMark;
  }
}

/** Everything that has arrived; without a number Node gives one chunk. null ends a response that is complete. */
function readAll(response: IncomingMessage): Buffer | null {
  return response.read(response.readableLength) as Buffer | null;
}
