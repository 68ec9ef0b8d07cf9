/**
 * Reading of the connections of HTTP/1.1: 10,000 chunks of one byte, or as many headers, take milliseconds, and each of many
 * connections may send them again and again. Their costs are added up, and over the budget of a turn the other connections
 * are read in later ones. Ordinary requests cost nothing here: only chunks are counted, and heads of many headers.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { ReadTurns } from '../base/read-turns.ts';
import { SocketReading, turnBudget } from './socket-reading.ts';

/** Cost of a chunk, in the time that one header takes (0.35 µs). */
const chunkCost = 2;
/** Heads of fewer headers are not counted: `RequestPipeline` takes about a hundred of a connection at once. */
const costlyHeaders = 50;

/** All connections together. */
export class ConnectionReads {
  readonly #turns = new ReadTurns({ budget: turnBudget });
  readonly #readings = new WeakMap<Duplex, ConnectionReading>();

  /** From now on the connection is read in turn with the others. */
  follow(socket: TLSSocket): void {
    this.#readings.set(socket, new ConnectionReading(socket, this.#turns));
  }

  /** Counts the head of a request, and the chunks of its body; call it before the body is parsed. */
  note(req: IncomingMessage): void {
    const headers = req.rawHeaders.length / 2;
    const isChunked = req.headers['transfer-encoding'] !== undefined;
    if (!isChunked && headers < costlyHeaders) return;
    const reading = this.#readings.get(req.socket);
    if (headers >= costlyHeaders) reading?.note(headers);
    if (isChunked) reading?.notePieces(req, chunkCost);
  }
}

class ConnectionReading extends SocketReading {
  constructor(socket: TLSSocket, turns: ReadTurns) {
    super(socket, turns);
    // Node starts the handle for each piece of a body that is read, before bytes flow.
    socket.on('resume', () => {
      if (this.isHeld) this.handle?.readStop();
    });
  }

  protected read(): void {
    if (this.handle?.reading === true) this.handle.readStart();
  }
}
