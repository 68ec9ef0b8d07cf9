/**
 * Reading of a TLS handshake, with a bound on its bytes. OpenSSL compares each name in the certificates of a peer with each
 * name constraint above, before anything says whether they are trusted: 80 KB of them hold the thread for 2.5 s, and
 * OpenSSL takes 100 KB. Node has no option for that limit, and reads 64 KB at once. So Node does not read
 * the connection until the handshake is over. It is read here, a piece at a time, and TLS gets the pieces.
 *
 *   begun ─▶ looked at after 1 ms, then at ever longer intervals ──bytes──▶ TLS ──▶ over: Node reads
 *                                                                   └── too many: cut
 *
 * A piece is all that has come, as Node would read it: TLS fails where what it got ends behind certificates that it rejects.
 */
import { constants } from 'node:crypto';
import { readSync } from 'node:fs';
import type { Duplex } from 'node:stream';

/**
 * Of both flights of a peer: a first one of 2 KB, and five certificates with keys of RSA of 2,048 bits, or four of 4,096. The
 * worst certificates of that size take 60 ms.
 */
export const mostHandshakeBytes = 12 * 1024;

/**
 * Of every TLS context: a second handshake on a connection, which TLS 1.2 has and OpenSSL allows the other side to begin, would
 * be read by Node. Servers and clients in Go refuse it, too.
 */
export const oneHandshake = { secureOptions: constants.SSL_OP_NO_RENEGOTIATION } as const;

/** What Node's types do not have: the TCP handle below, and TLS above it. */
export interface LowerHandle {
  readonly fd?: number;
  readonly reading: boolean;
  readStop(): void;
  readStart(): void;
}
interface UpperHandle {
  receive?(bytes: Uint8Array): void;
  /** Of a connection that TLS has made itself. */
  readonly _parent?: LowerHandle;
}
export interface Shaking extends Duplex {
  readonly _handle?: UpperHandle | null;
}

/** Bounds the handshake of a TLS connection to a server, which is being made. */
export function boundHandshake(socket: Shaking): void {
  socket.once('connect', () => {
    HandshakeBytes.follow(socket, socket._handle?._parent);
  });
}

const tooLarge = `the other side sent more than ${String(mostHandshakeBytes)} bytes in its TLS handshake`;
const piece = new Uint8Array(mostHandshakeBytes);
/** A look that finds nothing takes 6 µs; the wait is about a fifth of the time since the beginning. */
const firstWaitMs = 1;
const growth = 1.25;

export class HandshakeBytes {
  readonly #socket: Shaking;
  readonly #lower: LowerHandle;
  #left: number;
  #waitMs = firstWaitMs;
  #timer: NodeJS.Timeout | undefined;
  #isHeld = false;
  #isOver = false;

  /**
   * Reads from now on until the handshake is over. To be called before the event loop reads what follows the first bytes.
   * @param first number of bytes that TLS has got
   * @returns undefined where the connection has no socket of the system of its own: Node reads it
   */
  static follow(
    socket: Shaking,
    lower: LowerHandle | null | undefined,
    first = 0,
  ): HandshakeBytes | undefined {
    const canRead = (lower?.fd ?? -1) >= 0 && socket._handle?.receive !== undefined;
    return canRead && lower ? new HandshakeBytes(socket, lower, first) : undefined;
  }

  private constructor(socket: Shaking, lower: LowerHandle, first: number) {
    this.#socket = socket;
    this.#lower = lower;
    this.#left = mostHandshakeBytes - first;
    socket.once('secure', this.#end.bind(this));
    socket.once('close', this.#stop.bind(this));
    // Node begins to read in the ticks that follow.
    process.nextTick(() => {
      process.nextTick(() => {
        if (this.#isOver) return;
        lower.readStop();
        this.#schedule(firstWaitMs);
      });
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Nothing is read until `goOn`. */
  hold(): void {
    this.#isHeld = true;
    clearTimeout(this.#timer);
  }

  goOn(): void {
    this.#isHeld = false;
    this.#schedule(firstWaitMs);
  }

  #schedule(ms: number): void {
    if (this.#isOver || this.#isHeld) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#look();
    }, ms);
  }

  #look(): void {
    while (!this.#isOver && !this.#isHeld) {
      const count = this.#read();
      if (count === undefined) return;
      const bytes = piece.subarray(0, count);
      this.#left -= count;
      this.#socket._handle?.receive?.(bytes);
      if (!this.isOver && this.#left <= 0) this.#socket.destroy(new Error(tooLarge));
    }
  }

  /** Gives the number of bytes in the piece; undefined where there are none, or nothing else is to be read here. */
  #read(): number | undefined {
    if (this.#socket.destroyed) return undefined;
    try {
      const count = readSync(this.#lower.fd ?? -1, piece, 0, this.#left, null);
      if (count > 0) return count;
      // The end of the connection, which Node reads again.
      this.#end();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') this.#schedule((this.#waitMs *= growth));
      else this.#socket.destroy();
    }
    return undefined;
  }

  #end(): void {
    this.#stop();
    if (!this.#socket.destroyed && this.#lower.reading) this.#lower.readStart();
  }

  #stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}
