/**
 * Bounds what a peer may send beside the bytes of answers: pings, settings, priorities, empty data and the like, none of
 * which Node's HTTP/2 module shows or counts. So bytes that the socket read are compared with those that answers had.
 */
/** More than the window of a connection, whose bytes may lie unread while a stream is paused. */
const mostBytes = 24 * 1024 * 1024;
const bytesPerMs = 1024;
/** Headers, acknowledgements, updates of windows. */
const bytesPerRequest = 4 * 1024;
/** The head of a frame, and some more. */
const bytesPerPiece = 32;
const lookMs = 50;

export class OverheadGuard {
  readonly #timer: NodeJS.Timeout;
  #balance = mostBytes;
  #readBefore = 0;
  #lookedAt = performance.now();

  /** `bytesRead` tells how much came in all; `onFlood` hears that it was too much. */
  constructor(bytesRead: () => number, onFlood: (error: Error) => void) {
    this.#timer = setInterval(() => {
      this.#look(bytesRead());
      if (this.#balance < 0) onFlood(new Error('http2: too many frames that say nothing'));
    }, lookMs).unref();
  }

  /** A request leaves, with so many bytes. */
  request(bytes: number): void {
    this.#balance += bytesPerRequest + bytes;
  }

  /** So much of an answer came in one piece. */
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
