/**
 * Serves the requests of a connection in sequence. Node delivers all pipelined requests at once: thousands of small
 * requests would then hold thousands of large unread responses in memory.
 *
 *   idle ──request──▶ busy ──response sent──▶ the next waiting request, or idle
 *
 * Few clients pipeline; a connection with more than `maxWaiting` waiting requests, or with more than `maxWaitingBytes` in
 * their heads, is closed: a hundred heads of 64 KB behind one watch would hold 6 MB for each connection.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { stopReading } from './stop-reading.ts';
import { headBytesOf, TurnQueue } from './turn-queue.ts';

export type Listener = (req: IncomingMessage, res: ServerResponse) => void;

interface PipelinedRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Length of its head. */
  readonly headBytes: number;
}

/** The state of a connection; kept on the socket, as a table that changes with every request is costly. */
interface ConnectionQueue {
  /** The response in progress; undefined if the connection is idle. */
  serving: ServerResponse | undefined;
  readonly waiting: PipelinedRequest[];
  /** Of all waiting requests. */
  headBytes: number;
  /** Called once the connection is idle. */
  then: (() => void) | undefined;
}

const maxWaiting = 100;
const maxWaitingBytes = 128 * 1024;

export class RequestPipeline {
  private readonly listener: Listener;
  private readonly onIdle: (socket: Duplex) => void;
  private readonly queues = new WeakMap<Duplex, ConnectionQueue>();
  private readonly turns = new TurnQueue();

  /** `onIdle` is called when all responses of a connection are sent. */
  constructor(listener: Listener, onIdle: (socket: Duplex) => void) {
    this.listener = listener;
    this.onIdle = onIdle;
  }

  /**
   * Serves a request on an idle connection, in this turn or a later one; queues it on a busy one. Nothing happens for one
   * that comes where no answer can be sent any more.
   */
  take(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    if (socket.destroyed || socket.writableEnded) return;
    let queue = this.queues.get(socket);
    if (!queue)
      this.queues.set(socket, (queue = { serving: undefined, waiting: [], headBytes: 0, then: undefined }));
    if (queue.serving) this.wait(queue, req, res);
    else this.serve(queue, req, res);
  }

  /** The response in progress; undefined on an idle connection. */
  answering(socket: Duplex): ServerResponse | undefined {
    return this.queues.get(socket)?.serving;
  }

  /** Acts once all responses of a busy connection are sent, unless it is closed before. */
  whenIdle(socket: Duplex, act: () => void): void {
    const queue = this.queues.get(socket);
    if (queue) queue.then = act;
  }

  private wait(queue: ConnectionQueue, req: IncomingMessage, res: ServerResponse): void {
    const headBytes = headBytesOf(req);
    if (queue.waiting.length < maxWaiting && queue.headBytes + headBytes <= maxWaitingBytes) {
      queue.waiting.push({ req, res, headBytes });
      queue.headBytes += headBytes;
      return;
    }
    stopReading(req.socket);
    req.socket.destroy();
    queue.waiting.length = 0;
  }

  private serve(queue: ConnectionQueue, req: IncomingMessage, res: ServerResponse): void {
    queue.serving = res;
    // Emitted once; `once` would cost two functions and a removal.
    res.on('close', () => {
      this.next(queue, req.socket);
    });
    this.turns.begin(req, () => {
      if (!req.socket.destroyed) this.listener(req, res);
    });
  }

  private next(queue: ConnectionQueue, socket: Duplex): void {
    const turn = socket.destroyed || socket.writableEnded ? undefined : queue.waiting.shift();
    // The body of a malformed request does not come: it is what `then` refuses.
    if (turn && (queue.then === undefined || turn.req.complete)) {
      queue.headBytes -= turn.headBytes;
      this.serve(queue, turn.req, turn.res);
      return;
    }
    queue.serving = undefined;
    if (socket.writable) queue.then?.();
    this.onIdle(socket);
  }
}
