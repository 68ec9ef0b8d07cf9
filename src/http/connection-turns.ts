/**
 * The requests of one connection, one after the other. Node hands over whatever a client pipelines at once: thousands
 * of small requests would then hold thousands of large answers in memory, which nobody reads yet.
 *
 *   idle ──request──▶ busy ──its answer has left──▶ the next that waits, or idle
 *
 * Few clients pipeline at all; one that has more waiting than `maxWaiting` loses its connection.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

export type Listener = (req: IncomingMessage, res: ServerResponse) => void;

interface Turn {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/** What is known of a connection; kept as long as it, for a table that changes with every request is costly. */
interface Line {
  /** The answer that is made or on its way; undefined: the connection is idle. */
  serving: ServerResponse | undefined;
  readonly waiting: Turn[];
}

const maxWaiting = 100;

export class ConnectionTurns {
  private readonly listener: Listener;
  private readonly onIdle: (socket: Duplex) => void;
  private readonly lines = new WeakMap<Duplex, Line>();

  /** `onIdle` is told of a connection whose answers have all left. */
  constructor(listener: Listener, onIdle: (socket: Duplex) => void) {
    this.listener = listener;
    this.onIdle = onIdle;
  }

  /** Takes a request: served at once on an idle connection, in its turn on a busy one. */
  take(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    if (socket.destroyed) return;
    let line = this.lines.get(socket);
    if (!line) this.lines.set(socket, (line = { serving: undefined, waiting: [] }));
    if (!line.serving) this.serve(line, { req, res });
    else if (line.waiting.length < maxWaiting) line.waiting.push({ req, res });
    else socket.destroy();
  }

  /** The answer that is made or on its way; undefined on an idle connection. */
  answering(socket: Duplex): ServerResponse | undefined {
    return this.lines.get(socket)?.serving;
  }

  private serve(line: Line, { req, res }: Turn): void {
    line.serving = res;
    // Comes once; `once` would cost two functions and a removal.
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
