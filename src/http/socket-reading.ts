/**
 * Reading of a connection in turn with others, by the cost of what was read. Node parses all that it has read, up to 64 KiB,
 * in one turn of the event loop; a stop takes effect behind that. Node itself pauses and resumes sockets for reasons of its
 * own, or forbids it, so the handle of the socket is stopped and started.
 */
import type { Readable } from 'node:stream';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { boundKeyChanges } from '../base/key-changes.ts';
import type { ReadSource, ReadTurns } from '../base/read-turns.ts';
import { UnreadPieces } from './unread-pieces.ts';

/** Costs are in the time that one header takes (0.35 µs). About 4 ms. */
export const turnBudget = 10_000;
/**
 * Cost of the end of a connection: what it has in OpenSSL is freed, its requests are over. A client that is killed, or a
 * balancer that restarts, ends thousands at once.
 */
const endCost = 500;
/** Of each byte of a body: decrypted, copied and handed over, a megabyte takes 1.5 ms at rest, and 3.5 beside other work. */
const byteCost = 0.01;
/** Of a change of keys: 15 µs. */
const keyChangeCost = 43;
/** Smaller costs of a connection are added up first: to report each one would cost more than it is worth. */
const smallCost = 250;

/** What Node's types do not have. */
export interface SocketHandle {
  /** Whether Node reads; it does not know of our stops. */
  readonly reading: boolean;
  readonly writeQueueSize?: number;
  /** Of TLS: the one below. */
  readonly _parent?: { readonly writeQueueSize?: number };
  /** Bytes of the client since the handshake, and for it. */
  readonly bytesRead?: number;
  readonly bytesWritten?: number;
  readStop(): void;
  readStart(): void;
}

export abstract class SocketReading implements ReadSource {
  protected isHeld = false;
  readonly #socket: Socket;
  readonly #turns: ReadTurns;
  #unreported = 0;
  #isEnded = false;

  /** From now on the connection is read in turn with the others. */
  constructor(socket: Socket, turns: ReadTurns) {
    this.#socket = socket;
    this.#turns = turns;
    turns.add(this);
    const noteEnd = this.#noteEnd.bind(this);
    socket.on('end', noteEnd).on('error', noteEnd);
    if (socket instanceof TLSSocket)
      boundKeyChanges(socket, 'client', () => {
        this.note(keyChangeCost);
      });
    socket.once('close', () => {
      turns.remove(this);
    });
  }

  /** Counts something that was read. */
  note(cost: number): void {
    this.#unreported += cost;
    if (this.#unreported < smallCost) return;
    this.#turns.note(this, this.#unreported);
    this.#unreported = 0;
  }

  /**
   * Counts the pieces of a body as they arrive, each with this cost and that of its bytes. Events do not tell: a body without a
   * reader has none. Small ones are joined until it has.
   */
  notePieces(body: Readable, cost: number): void {
    const pieces = new UnreadPieces(body);
    body.push = (chunk: unknown, encoding?: BufferEncoding) => {
      this.notePiece(chunk, cost);
      return pieces.push(chunk, encoding);
    };
  }

  /** Counts a piece of a body; null is its end. */
  protected notePiece(chunk: unknown, cost: number): void {
    this.note(chunk instanceof Uint8Array ? cost + chunk.length * byteCost : cost);
  }

  pause(): boolean {
    const wasHeld = this.isHeld;
    this.isHeld = true;
    this.handle?.readStop();
    return !wasHeld;
  }

  resume(): void {
    this.isHeld = false;
    this.read();
  }

  /** The client has closed or reset the connection: what is read of others in this turn may be their ends. */
  #noteEnd(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.note(this.endCost);
  }

  /** Of the end of the connection, with all that ends with it. */
  protected get endCost(): number {
    return endCost;
  }

  /** Starts the handle again, unless the connection must not be read for another reason. */
  protected abstract read(): void;

  /** null once the socket is closed. */
  protected get handle(): SocketHandle | null {
    if (this.#socket.destroyed) return null;
    return (this.#socket as unknown as { readonly _handle: SocketHandle | null })._handle;
  }
}
