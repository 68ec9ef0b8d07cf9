/**
 * Reading of the connections of HTTP/2. Node parses all that it has read of a connection, up to 64 KiB, in one turn of the
 * event loop: thousands of heads, or of frames of a body. Their costs are added up, and over the budget of a turn the other
 * connections are read in later ones. Node forbids to pause the socket of a session, so its handle is stopped.
 */
import type { ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { ReadTurns } from '../../base/read-turns.ts';
import { SocketReading, turnBudget } from '../socket-reading.ts';

/** Costs, in the time that one header takes (0.35 µs). */
const headCost = 40;
const frameCost = 4;
const abortCost = 200;
/** Interval of looking whether a client takes what was written. */
const blockedMs = 50;

/** All connections together. */
export class SessionReads {
  readonly #turns: ReadTurns;

  /** `isBehind` returns whether requests that were read wait to begin. */
  constructor(isBehind: () => boolean) {
    this.#turns = new ReadTurns({ budget: turnBudget, isBehind });
  }

  /** From now on the connection is read in turn with the others. */
  follow(socket: TLSSocket): SessionReading {
    return new SessionReading(socket, this.#turns);
  }
}

/** One connection. */
export class SessionReading extends SocketReading {
  /** Counts a head of so many headers, and what comes behind it on its stream. */
  noteHead(stream: ServerHttp2Stream, headers: number): void {
    this.note(headCost + headers);
    if (stream.endAfterHeaders || stream.destroyed) return;
    stream.on('trailers', (_trailers: unknown, _flags: number, raw: readonly string[]) => {
      this.note(headCost + raw.length / 2);
    });
    this.notePieces(stream, frameCost);
  }

  /** Counts a stream that the client has ended early: hundreds of a connection may end with it. */
  noteAbort(): void {
    this.note(abortCost);
  }

  /**
   * The session reads on by itself after a write, so that a stop may not last; the next costly read stops it again. While a
   * write waits for the client, the session does not read: what it then reads would pile up in it.
   */
  protected read(): void {
    const { handle } = this;
    if (!handle || this.isHeld) return;
    if ((handle.writeQueueSize ?? 0) === 0) handle.readStart();
    else
      setTimeout(() => {
        this.read();
      }, blockedMs).unref();
  }
}
