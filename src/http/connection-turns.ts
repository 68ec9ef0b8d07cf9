/**
 * Serves the requests of a connection in sequence. Node delivers all pipelined requests at once: thousands of small
 * requests would then hold thousands of large unread responses in memory.
 *
 *   idle ──request──▶ busy ──response sent──▶ the next waiting request, or idle
 *
 * Few clients pipeline; a connection with more than `maxWaiting` waiting requests is closed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { stopReading } from './stop-reading.ts';

export type Listener = (req: IncomingMessage, res: ServerResponse) => void;

interface Turn {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** The state of a connection; kept on the socket, as a table that changes with every request is costly. */
interface Line {
  /** The response in progress; undefined if the connection is idle. */
  serving: ServerResponse | undefined;
  readonly waiting: Turn[];
}

const maxWaiting = 100;

export class ConnectionTurns {
  private readonly listener: Listener;
  private readonly onIdle: (socket: Duplex) => void;
  private readonly lines = new WeakMap<Duplex, Line>();

  /** `onIdle` is called when all responses of a connection are sent. */
  constructor(listener: Listener, onIdle: (socket: Duplex) => void) {
    this.listener = listener;
    this.onIdle = onIdle;
  }

  /** Serves a request at once on an idle connection; queues it on a busy one. */
  take(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    if (socket.destroyed) return;
    let line = this.lines.get(socket);
    if (!line) this.lines.set(socket, (line = { serving: undefined, waiting: [] }));
    if (!line.serving) this.serve(line, { req, res });
    else if (line.waiting.length < maxWaiting) line.waiting.push({ req, res });
    else {
      stopReading(socket);
      socket.destroy();
    }
  }

  /** The response in progress; undefined on an idle connection. */
  answering(socket: Duplex): ServerResponse | undefined {
    return this.lines.get(socket)?.serving;
  }

  private serve(line: Line, { req, res }: Turn): void {
    line.serving = res;
    // Emitted once; `once` would cost two functions and a removal.
    res.on('close', () => {
      this.next(line, req.socket);
    });
    this.listener(req, res);
  }

  private next(line: Line, socket: Duplex): void {
    const turn = socket.destroyed || socket.writableEnded ? undefined : line.waiting.shift();
    if (turn) {
      this.serve(line, turn);
      return;
    }
    line.serving = undefined;
    this.onIdle(socket);
  }
}
