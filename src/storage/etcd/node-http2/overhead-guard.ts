/**
 * Limits what a peer may send besides response bodies: pings, settings, priorities, empty data and others, which
 * Node's HTTP/2 module neither exposes nor counts. Compares the bytes read by the socket with those of responses.
 */
/** More than the connection window, whose bytes may be unread while a stream is paused. */
const mostBytes = 24 * 1024 * 1024;
const bytesPerMs = 1024;
/** For headers, acknowledgements and window updates. */
const bytesPerRequest = 4 * 1024;
/** For frame headers. */
const bytesPerPiece = 32;
const lookMs = 50;

export class OverheadGuard {
  readonly #timer: NodeJS.Timeout;
  #balance = mostBytes;
  #readBefore = 0;
  #lookedAt = performance.now();

  /** `bytesRead` returns the received bytes; `onFlood` is called if they are too many. */
  constructor(bytesRead: () => number, onFlood: (error: Error) => void) {
    this.#timer = setInterval(() => {
      this.#look(bytesRead());
      if (this.#balance < 0) onFlood(new Error('http2: too many frames without progress'));
    }, lookMs).unref();
  }

  /** A request of this many bytes is sent. */
  request(bytes: number): void {
    this.#balance += bytesPerRequest + bytes;
  }

  /** A piece of a response of this many bytes is received. */
  answer(bytes: number): void {
    this.#balance += bytesPerPiece + bytes;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(read: number): void {
    const now = performance.now();
    const earned = (now - this.#lookedAt) * bytesPerMs;
    this.#balance = Math.min(mostBytes, this.#balance + earned + this.#readBefore - read);
    this.#readBefore = read;
    this.#lookedAt = now;
  }
}
