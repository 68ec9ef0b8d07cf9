/**
 * Reading of the connections of HTTP/1.1: 10,000 chunks of one byte, as many headers, or a megabyte to decrypt take milliseconds,
 * and each of many connections may send them again and again. Their costs are added up, and over the budget of a turn the other
 * connections are read in later ones. Ordinary requests cost nothing here: only chunks are counted, large bodies, and heads of
 * many headers.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { ReadTurns } from '../base/read-turns.ts';
import { SocketReading, turnBudget } from './socket-reading.ts';

/** Cost of a chunk, in the time that one header takes (0.35 µs). */
const chunkCost = 2;
/** Shorter bodies are not counted: a request costs more than they do. */
const costlyBytes = 16 * 1024;
/** Heads of fewer headers are not counted: `RequestPipeline` takes about a hundred of a connection at once. */
const costlyHeaders = 50;

/** All connections together. */
export class ConnectionReads {
  readonly #turns = new ReadTurns({ budget: turnBudget });
  readonly #readings = new WeakMap<Duplex, ConnectionReading>();

  /** From now on the connection is read in turn with the others. */
  follow(socket: Socket): void {
    this.#readings.set(socket, new ConnectionReading(socket, this.#turns));
  }

  /** Counts the head of a request, and the pieces of its body; call it before the body is parsed. */
  note(req: IncomingMessage): void {
    const headers = req.rawHeaders.length / 2;
    const isCostly = hasCostlyBody(req);
    if (!isCostly && headers < costlyHeaders) return;
    const reading = this.#readings.get(req.socket);
    if (headers >= costlyHeaders) reading?.note(headers);
    if (isCostly) reading?.notePieces(req, chunkCost);
  }
}

function hasCostlyBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > costlyBytes;
}

class ConnectionReading extends SocketReading {
  constructor(socket: Socket, turns: ReadTurns) {
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
