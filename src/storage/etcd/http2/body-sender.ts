/** Bodies of requests, as far as the peer's windows let them through (RFC 9113, section 5.2). */
import { widened } from './frame-rules.ts';
import { flag, frame, frameType, usual } from './frames.ts';
import type { Outbox } from './outbox.ts';
import type { Http2Stream } from './stream.ts';

export class BodySender {
  readonly #outbox: Outbox;
  /** How many bytes more the peer takes on all streams. */
  #window: number = usual.window;
  /** Streams with a body that the windows leave no room for. */
  readonly #blocked = new Set<Http2Stream>();

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  /** True when the whole body may leave in one frame; then it counts as sent. */
  claimWhole(stream: Http2Stream): boolean {
    const { length } = stream.request.body;
    if (length > Math.min(this.#window, stream.window, usual.maxFrame)) return false;
    this.#claim(stream, length);
    return true;
  }

  /** Sends what there is room for, and the rest when there is more. */
  send(stream: Http2Stream): void {
    const { isWhole, isUrgent } = stream.request;
    while (!stream.isBodySent()) {
      const room = Math.min(this.#window, stream.window, usual.maxFrame);
      if (room <= 0) {
        this.#blocked.add(stream);
        return;
      }
      const part = stream.request.body.subarray(stream.sent, stream.sent + room);
      this.#claim(stream, part.length);
      const flags = isWhole && stream.isBodySent() ? flag.endStream : 0;
      this.#outbox.send(frame({ type: frameType.data, flags, stream: stream.id }, part), isUrgent);
    }
    this.#blocked.delete(stream);
  }

  /** The peer takes so many bytes more on all streams. @throws PeerError when these become too many */
  widen(bytes: number): void {
    this.#window = widened(this.#window, bytes);
    this.goOn();
  }

  /** The window of this stream has grown. */
  goOnWith(stream: Http2Stream): void {
    if (this.#blocked.has(stream)) this.send(stream);
  }

  goOn(): void {
    for (const stream of [...this.#blocked]) this.send(stream);
  }

  /** Nothing more of this stream is wanted. */
  forget(stream: Http2Stream): void {
    this.#blocked.delete(stream);
  }

  #claim(stream: Http2Stream, bytes: number): void {
    this.#window -= bytes;
    stream.window -= bytes;
    stream.sent += bytes;
  }
}
