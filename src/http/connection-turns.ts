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

const maxWaiting = 100;

export class ConnectionTurns {
  private readonly listener: Listener;
  private readonly onIdle: (socket: Duplex) => void;
  /** What waits, by busy connection. */
  private readonly waiting = new Map<Duplex, Turn[]>();

  /** `onIdle` is told of a connection whose answers have all left. */
  constructor(listener: Listener, onIdle: (socket: Duplex) => void) {
    this.listener = listener;
    this.onIdle = onIdle;
  }

  /** Takes a request: served at once on an idle connection, in its turn on a busy one. */
  take(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    if (socket.destroyed) return;
    const waiting = this.waiting.get(socket);
    if (!waiting) {
      this.waiting.set(socket, []);
      this.serve({ req, res });
    } else if (waiting.length < maxWaiting) waiting.push({ req, res });
    else socket.destroy();
  }

  /** True while an answer is made or on its way. */
  isBusy(socket: Duplex): boolean {
    return this.waiting.has(socket);
  }

  private serve({ req, res }: Turn): void {
    res.once('close', () => {
      this.next(req.socket);
    });
    this.listener(req, res);
  }

  private next(socket: Duplex): void {
    const turn = socket.destroyed || socket.writableEnded ? undefined : this.waiting.get(socket)?.shift();
    if (turn) {
      this.serve(turn);
      return;
    }
    this.waiting.delete(socket);
    this.onIdle(socket);
  }
}
