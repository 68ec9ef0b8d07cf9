/**
 * Reading of connections whose handshake is not over. Thousands may send their first bytes, go on with their handshakes or
 * end at the same time, and the event loop reads from all of them in one turn. So each has a cost, and over a budget the
 * others are read in later turns.
 *
 *   others: silent, waiting ──its handshake begins──▶ recent ──some time without its end──▶ others: late ──▶ removed
 *
 * Recent handshakes are few (`connection-gate.ts`), and one of them ends in a turn, the oldest first. Thousands of others
 * cannot delay them, nor do they cost more for each that ends: of those few are read behind a costly turn.
 *
 * Node does not say that the client of a handshake has closed the connection before all that this costs is due. So of many
 * late ones, a few are read at a time (`late-turns.ts`).
 */
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { HandshakeBytes, type LowerHandle } from '../base/handshake-bytes.ts';
import { ReadTurns, type ReadSource } from '../base/read-turns.ts';
import { LateTurns, type LateSource } from './late-turns.ts';

/** Costs are in the time that one header takes (0.35 µs). About 2 ms. */
const turnBudget = 5_000;
/** Of bytes before the handshake, and of the end of a connection without one. */
const pieceCost = 100;
const endCost = 200;
/** The second half of a handshake; as much as a turn may cost. */
const handshakeCost = turnBudget + 1;

interface Handled {
  readonly _handle?: LowerHandle | null;
}

/** All connections together. */
export class EarlyReads {
  readonly #others = new ReadTurns({ budget: turnBudget });
  readonly #recent = new ReadTurns({ share: Infinity });
  readonly #late = new LateTurns();

  /** From now on the accepted connection is read in turn with the others. */
  follow(socket: Socket): EarlyReading {
    return new EarlyReading(socket, { others: this.#others, recent: this.#recent, late: this.#late });
  }
}

interface Turns extends Readonly<Record<'others' | 'recent', ReadTurns>> {
  readonly late: LateTurns;
}

/** One connection. */
export class EarlyReading implements ReadSource, LateSource {
  readonly #socket: Socket & Handled;
  readonly #turns: Turns;
  #among: ReadTurns;
  #isHeld = false;
  #isParked = false;
  #bytes: HandshakeBytes | undefined;

  constructor(socket: Socket, turns: Turns) {
    this.#socket = socket;
    this.#turns = turns;
    this.#among = turns.others;
    this.#among.add(this);
    this.#notePieces();
    socket.once('error', () => {
      this.#among.note(this, endCost);
    });
  }

  /** The handshake begins. */
  begin(): void {
    this.#moveTo(this.#turns.recent);
  }

  /**
   * The handshake has begun: its bytes are bounded.
   * @param first number of its bytes that were read before
   */
  readHandshake(upper: TLSSocket, first: number): void {
    this.#bytes = HandshakeBytes.follow(upper, this.#socket._handle, first);
    if (this.#isHeld || this.#isParked) this.#bytes?.hold();
  }

  /** The handshake waits for its client for longer than usual. */
  noteLate(): void {
    this.#moveTo(this.#turns.others);
    this.#turns.late.add(this);
  }

  /** The handshake is over: the connection is read without turns. */
  endHandshake(): void {
    this.remove();
    this.#among.note(this, handshakeCost);
  }

  /** The connection is closed, or none of those that are read in turn any more. */
  remove(): void {
    this.#turns.late.remove(this);
    this.#among.remove(this);
    if (this.#isHeld) this.resume();
  }

  pause(): boolean {
    const wasHeld = this.#isHeld;
    this.#isHeld = true;
    this.#stop();
    return !wasHeld;
  }

  resume(): void {
    this.#isHeld = false;
    this.#read();
  }

  park(): void {
    this.#isParked = true;
    this.#stop();
  }

  unpark(): void {
    this.#isParked = false;
    this.#read();
  }

  #stop(): void {
    this.#bytes?.hold();
    this.#socket._handle?.readStop();
  }

  #read(): void {
    if (this.#isHeld || this.#isParked) return;
    this.#bytes?.goOn();
    if (this.#bytes?.isOver === false) return;
    // The handle reads for the TLS socket above, too.
    if (this.#socket._handle?.reading === true) this.#socket._handle.readStart();
  }

  #moveTo(turns: ReadTurns): void {
    this.remove();
    this.#among = turns;
    turns.add(this);
  }

  /** There are none here once the handshake has begun. */
  #notePieces(): void {
    const socket = this.#socket;
    const push = socket.push.bind(socket);
    socket.push = (chunk: unknown, encoding?: BufferEncoding) => {
      this.#among.note(this, chunk === null ? endCost : pieceCost);
      return push(chunk, encoding);
    };
  }
}
