/**
 * Reads messages of HTTP/1.1: responses of backends, and requests that are passed on. One in chunks of few bytes, as logs may
 * be, costs the parser microseconds per chunk: 64 KiB of chunks of one byte take as long as tens of megabytes in large ones.
 * Such messages are read in turn, and what has arrived by then passes on as one piece. A large piece costs little for its
 * bytes, but a hundred backends may send one each: what all send is bounded for each turn of the event loop.
 */
import { on } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ReadTurns, type ReadSource } from '../base/read-turns.ts';

/** The part of a read that is content if its chunks have more than about 40 bytes. */
const cheapContent = 0.87;
/** Reads that are too small to cost much. */
const cheapBytes = 4 * 1024;

/** Bytes of all messages that are read in one turn: about 5 ms, with what it takes to pass them on. */
const turnBytes = 1024 * 1024;
/** A read, however small, takes as long as so many bytes. */
const readBytes = 4 * 1024;

const turns = new ReadTurns({ budget: turnBytes });

/** The connection of one message. */
export class MessageReading implements ReadSource {
  #socket: Socket | undefined;
  #message: IncomingMessage | undefined;
  #bufferedBytes = 0;
  #isHeld = false;

  /** The message that now comes over the connection. */
  begin(message: IncomingMessage): void {
    this.#message = message;
  }

  /**
   * The body in pieces of what has arrived. The message is closed when the caller stops reading.
   * @throws Error when the message ends early
   */
  async *body(): AsyncGenerator<Buffer> {
    const message = this.#message;
    if (!message) return;
    try {
      for await (const _event of on(message, 'readable', { close: ['end', 'close'] })) {
        for (let bytes = readAll(message); bytes !== null; bytes = readAll(message)) yield bytes;
      }
    } finally {
      message.destroy();
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

  /** From now on the connection is read in turn. Node's parser is a listener of the same event, between these two. */
  follow(socket: Socket): void {
    this.#socket = socket;
    turns.add(this);
    socket.prependListener('data', this.#beforeParsing).on('data', this.#afterParsing);
    socket.on('resume', this.#keepHeld);
  }

  /** The connection is read as others again. */
  leave(): void {
    const socket = this.#socket;
    if (!socket) return;
    turns.remove(this);
    // The owner of the connection may use it again.
    if (this.#isHeld) this.resume();
    this.#socket = undefined;
    socket.off('data', this.#beforeParsing).off('data', this.#afterParsing).off('resume', this.#keepHeld);
  }

  readonly #beforeParsing = (): void => {
    this.#bufferedBytes = this.#message?.readableLength ?? 0;
  };

  readonly #afterParsing = (read: Buffer): void => {
    if (!this.#socket) return;
    turns.note(this, readBytes + read.length);
    const content = (this.#message?.readableLength ?? 0) - this.#bufferedBytes;
    if (read.length <= cheapBytes || content >= read.length * cheapContent) return;
    if (this.#message?.complete === true) return;
    turns.noteCostlyRead(this);
  };

  /** Node resumes the connection after each piece of the body; this comes before bytes flow. */
  readonly #keepHeld = (): void => {
    if (this.#isHeld) this.#socket?.pause();
  };

  #isFull(): boolean {
    const message = this.#message;
    return message !== undefined && message.readableLength >= message.readableHighWaterMark;
  }
}

/** Everything that has arrived; without a number Node gives one chunk. null: nothing, or the end. */
export function readAll(message: IncomingMessage): Buffer | null {
  return message.read(message.readableLength) as Buffer | null;
}
