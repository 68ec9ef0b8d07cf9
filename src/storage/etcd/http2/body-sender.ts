/** Sends request bodies within the flow-control windows of the peer (RFC 9113, section 5.2). */
import { widened } from './frame-rules.ts';
import { flag, frame, frameType, usual } from './frames.ts';
import type { Outbox } from './outbox.ts';
import type { Http2Stream } from './stream.ts';

export class BodySender {
  readonly #outbox: Outbox;
  /** Remaining window of the connection. */
  #window: number = usual.window;
  /** Streams whose body is blocked by a window. */
  readonly #blocked = new Set<Http2Stream>();

  constructor(outbox: Outbox) {
    this.#outbox = outbox;
  }

  /** True if the whole body fits into one frame and the windows; it then counts as sent. */
  claimWhole(stream: Http2Stream): boolean {
    const { length } = stream.request.body;
    if (length > Math.min(this.#window, stream.window, usual.maxFrame)) return false;
    this.#claim(stream, length);
    return true;
  }

  /** Sends as much as the windows allow, and the rest when they are updated. */
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

  /**
   * Increases the window of the connection.
   * @throws PeerError if it becomes too large
   */
  widen(bytes: number): void {
    this.#window = widened(this.#window, bytes);
    this.goOn();
  }

  /** Continues after an update of the window of this stream. */
  goOnWith(stream: Http2Stream): void {
    if (this.#blocked.has(stream)) this.send(stream);
  }

  goOn(): void {
    for (const stream of [...this.#blocked]) this.send(stream);
  }

  /** Drops a stream. */
  forget(stream: Http2Stream): void {
    this.#blocked.delete(stream);
  }

  #claim(stream: Http2Stream, bytes: number): void {
    this.#window -= bytes;
    stream.window -= bytes;
    stream.sent += bytes;
  }
}
