/**
 * Reading of the connections of HTTP/2. Node parses all that it has read of a connection, up to 64 KiB, in one turn of the
 * event loop: thousands of heads, or of frames of a body. Their costs are added up, and over the budget of a turn the other
 * connections are read in later ones. Node forbids to pause the socket of a session, so its handle is stopped.
 *
 * Of much that costs time, Node says nothing: heads that it rejects, pings, priorities, settings. So from time to time the bytes
 * that were read are compared with what they have brought; a connection with many more is suspect and looked at often, and one
 * that goes on is ended: between two looks it may send as much as the kernel takes.
 */
import type { ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { eventLoop } from '../../base/event-loop.ts';
import { systemClock } from '../../base/clock.ts';
import { ReadTurns } from '../../base/read-turns.ts';
import { TokenBucket, type Rate } from '../../base/token-bucket.ts';
import { SocketReading, turnBudget } from '../socket-reading.ts';

/** Costs, in the time that one header takes (0.35 µs). */
const headCost = 40;
/** Of each byte of a head: a path of 4 KB is one byte in a block of headers. */
const headByteCost = 0.01;
const frameCost = 4;
const abortCost = 200;
/** Bytes of a frame or a head that are explained by it, beside its content. */
const explainedBytes = 100;
/** Cost of a byte that has brought nothing: about that of a header which Node decodes and drops. */
const byteCost = 0.1;
/** Fewer of them are nothing unusual: window updates, settings, pings. */
const unusualBytes = 4 * 1024;
/** Bytes that may bring nothing: pings and settings of a busy client are far below it. */
const unexplainedRate: Rate = { qps: 128 * 1024, burst: 512 * 1024 };
/** A client that reads sends a window update, for the stream and the connection, for each 4 KiB at least (net/http2 in Go). */
const updateShare = 0.01;
/** Of a body that is not wanted, so much may be under way (RFC 9113, section 6.9.2). */
const initialWindow = 65_535;
/** A head may be compressed to nothing: of its texts, so many count as what was read. */
const mostHeadBytes = 8 * 1024;
/** Interval of looking at all connections, at most so many of them, and at suspect ones. */
const lookMs = 50;
const mostLooks = 1_000;
const suspectMs = 2;
/** Looks at a suspect connection that find nothing until it is like all others. */
const quietLooks = 100;
/** Interval of looking whether a client takes what was written. */
const blockedMs = 50;

/** What is known of a connection beside its bytes. */
export interface FollowedPeer {
  readonly onFlood: () => void;
  /** Number of its open streams. */
  readonly openStreams: () => number;
}

/** All connections together. */
export class SessionReads {
  readonly #turns: ReadTurns;
  /** Those looked at longest ago first. */
  readonly #readings = new Set<SessionReading>();
  /** With the number of looks that have found nothing. */
  readonly #suspects = new Map<SessionReading, number>();
  readonly #timer: NodeJS.Timeout;
  #suspectTimer: NodeJS.Timeout | undefined;

  /** `isBehind` returns whether requests that were read wait to begin. */
  constructor(isBehind: () => boolean) {
    this.#turns = new ReadTurns({ budget: turnBudget, isBehind });
    this.#timer = setInterval(() => {
      this.#lookAtAll();
    }, lookMs).unref();
  }

  /**
   * From now on the connection is read in turn with the others.
   * @param peer `onFlood` is called when far more was read of it than brings anything, perhaps several times
   */
  follow(socket: TLSSocket, peer: FollowedPeer): SessionReading {
    const reading = new SessionReading(socket, this.#turns, peer);
    this.#readings.add(reading);
    socket.once('close', () => {
      this.#readings.delete(reading);
      this.#suspects.delete(reading);
    });
    return reading;
  }

  /** Stops the timers. */
  stop(): void {
    clearInterval(this.#timer);
    clearInterval(this.#suspectTimer);
  }

  #lookAtAll(): void {
    let left = Math.min(mostLooks, this.#readings.size);
    for (const reading of this.#readings) {
      if (left-- === 0) break;
      this.#readings.delete(reading);
      this.#readings.add(reading);
      if (!this.#suspects.has(reading) && reading.noteUnexplained()) this.#suspects.set(reading, 0);
    }
    if (this.#suspects.size > 0)
      this.#suspectTimer ??= setInterval(() => {
        this.#lookAtSuspects();
      }, suspectMs).unref();
  }

  #lookAtSuspects(): void {
    for (const [reading, quiet] of this.#suspects) {
      if (reading.noteUnexplained()) this.#suspects.set(reading, 0);
      else if (quiet < quietLooks) this.#suspects.set(reading, quiet + 1);
      else this.#suspects.delete(reading);
    }
    if (this.#suspects.size > 0) return;
    clearInterval(this.#suspectTimer);
    this.#suspectTimer = undefined;
  }
}

/** One connection. */
export class SessionReading extends SocketReading {
  #explained = 0;
  /** Bytes that may still come of bodies that were refused. */
  #refused = 0;
  /** Bytes written at the last look. */
  #written = 0;
  readonly #unexplained = new TokenBucket(unexplainedRate, systemClock);
  readonly #peer: FollowedPeer;
  readonly #socket: TLSSocket;

  constructor(socket: TLSSocket, turns: ReadTurns, peer: FollowedPeer) {
    super(socket, turns);
    this.#socket = socket;
    this.#peer = peer;
  }

  /** Counts a head of so many headers and bytes, and what comes behind it on its stream. */
  noteHead(stream: ServerHttp2Stream, headers: number, bytes: number): void {
    this.#noteHeaders(headers, bytes);
    if (stream.endAfterHeaders || stream.destroyed) return;
    stream.on('trailers', (_trailers: unknown, _flags: number, raw: readonly string[]) => {
      this.#noteHeaders(raw.length / 2, 0);
    });
    this.notePieces(stream, frameCost);
    stream.once('close', () => {
      if (!stream.readableEnded) this.#refused += initialWindow;
    });
  }

  /** Counts a stream that the client has ended early: hundreds of a connection may end with it. */
  noteAbort(): void {
    this.note(abortCost);
  }

  /** Counts the bytes that have brought nothing since the last look. Returns whether they are unusually many. */
  noteUnexplained(): boolean {
    const { bytesRead = 0, bytesWritten = 0 } = this.handle ?? {};
    const bytes = bytesRead - this.#explained;
    const updates = (bytesWritten - this.#written) * updateShare;
    // They are estimates, so that nothing of them is left for later.
    this.#explained = bytesRead;
    this.#written = bytesWritten;
    if (bytes < unusualBytes) return false;
    this.note(bytes * byteCost);
    this.#judge(bytes - updates);
    return true;
  }

  /** Its streams end in the same turn, but later than the other connections are read. */
  protected override get endCost(): number {
    return super.endCost + this.#peer.openStreams() * abortCost;
  }

  #judge(bytes: number): void {
    const ofRefused = Math.min(Math.max(bytes, 0), this.#refused);
    this.#refused -= ofRefused;
    if (bytes > ofRefused && !this.#unexplained.tryTake(bytes - ofRefused)) this.#peer.onFlood();
  }

  #noteHeaders(headers: number, bytes: number): void {
    this.#explained += explainedBytes + headers + Math.min(bytes, mostHeadBytes);
    this.note(headCost + headers + bytes * headByteCost);
  }

  /**
   * The session reads on by itself after a write, so that a stop may not last; the next costly read stops it again. While a
   * write is under way, it must not read: Node aborts the process where what it reads is answered. A write that went out at
   * once is under way until the next turn, which only the bytes tell; one that waits for the client can be seen.
   */
  protected read(): void {
    const written = this.handle?.bytesWritten;
    eventLoop().nextTurn(() => {
      const { handle } = this;
      if (!handle || this.isHeld) return;
      if ((handle.writeQueueSize ?? 0) > 0) setTimeout(this.#readAfterWrite.bind(this), blockedMs).unref();
      else if (handle.bytesWritten === written) handle.readStart();
      else this.read();
    });
  }

  /**
   * TLS does not say that a write below it has failed, as when the client was gone at the end of its handshake: what is to be
   * written waits for ever then, and nothing of it in the system.
   */
  #readAfterWrite(): void {
    const { handle } = this;
    const isStuck = (handle?.writeQueueSize ?? 0) > 0 && handle?._parent?.writeQueueSize === 0;
    if (isStuck) this.#socket.destroy();
    else this.read();
  }

  protected override notePiece(chunk: unknown, cost: number): void {
    this.#explained += explainedBytes + (chunk instanceof Uint8Array ? chunk.length : 0);
    super.notePiece(chunk, cost);
  }
}
