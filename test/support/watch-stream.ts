/** The events of one watch as an async iterator. */
import type { IncomingMessage } from 'node:http';

import type { WatchEvent } from './api-object.ts';
import { within } from './wait-for.ts';

/**
 * Reads a watch response line by line. Iteration ends when the server ends the stream, when the connection breaks
 * (`broken` then says how) or after `close`.
 */
export class EventStream implements AsyncIterable<WatchEvent> {
  /** How the connection broke; undefined while it is open and after an orderly end. */
  broken: string | undefined;
  readonly #response: IncomingMessage;
  readonly #onClose: () => void;
  readonly #waiting: ((event: WatchEvent | undefined) => void)[] = [];
  readonly #events: WatchEvent[] = [];
  #rest = '';
  #isOver = false;

  constructor(response: IncomingMessage, onClose: () => void) {
    this.#response = response;
    this.#onClose = onClose;
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#read(text));
    response.on('error', (error) => {
      this.broken = String(error);
    });
    response.on('close', () => this.#end());
  }

  /** True when no further event will come. */
  get isOver(): boolean {
    return this.#isOver && this.#events.length === 0;
  }

  /** The next event; undefined at the end of the stream. @throws when `timeout` milliseconds pass without one */
  next(timeout = 15_000): Promise<WatchEvent | undefined> {
    const event = this.#events.shift();
    if (event !== undefined || this.#isOver) return Promise.resolve(event);
    return within('a watch event', timeout, new Promise((resolve) => this.#waiting.push(resolve)));
  }

  /** Events up to and including the first that `isLast` accepts. @throws when the stream ends before */
  async until(isLast: (event: WatchEvent) => boolean, timeout = 15_000): Promise<WatchEvent[]> {
    const seen: WatchEvent[] = [];
    for (;;) {
      const event = await this.next(timeout);
      if (event === undefined)
        throw new Error(`the watch ended after ${seen.length} events: ${this.broken ?? ''}`);
      seen.push(event);
      if (isLast(event)) return seen;
    }
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchEvent> {
    for (;;) {
      const event = await this.next(2 ** 31 - 1);
      if (event === undefined) return;
      yield event;
    }
  }

  /** Stops watching; what has arrived can still be read. */
  close(): void {
    this.#response.destroy();
    this.#end();
  }

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') this.#push(JSON.parse(line) as WatchEvent);
  }

  #push(event: WatchEvent): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#events.push(event);
    else waiting(event);
  }

  #end(): void {
    this.#isOver = true;
    for (const waiting of this.#waiting.splice(0)) waiting(undefined);
    this.#onClose();
  }
}
