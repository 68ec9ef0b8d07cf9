/**
 * Requests that ask for another protocol on their connection (RFC 9110, section 7.8): WebSocket, SPDY/3.1. They pass
 * the same filters as all others. Until a handler takes the connection, it can be answered like any other request.
 *
 *   offered ──a handler takes the connection──▶ taken ──closed by either side──▶ over
 *      └─────a filter or handler responds──────▶ answered, the connection ends
 *
 * Node parses nothing of the connection once it has handed it over: after an answer it cannot be used again. It is read
 * meanwhile: that a client is gone can only be seen behind all that it has sent.
 */
import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { closeAfterLinger } from './unread-body.ts';

/** A connection whose owner is the handler: it writes everything from the status line on, and closes it. */
export interface TakenConnection {
  readonly socket: Duplex;
  /** What the client sent after its request. */
  readonly head: Buffer;
}

/** What a client may say before the response: nothing, in the protocols that clients ask for. */
const maxEarlyBytes = 64 * 1024;
const maxEarlyPieces = 500;

export class UpgradeOffer {
  readonly #socket: Duplex;
  readonly #early: Buffer[];
  #earlyBytes = 0;
  readonly #res: ServerResponse;
  #isTaken = false;

  constructor(res: ServerResponse, socket: Duplex, head: Buffer) {
    this.#res = res;
    this.#socket = socket;
    this.#early = [head];
    socket.on('data', this.#keep);
  }

  get isTaken(): boolean {
    return this.#isTaken;
  }

  /**
   * Gives the connection to the caller, who responds with `code` and reads it from now on: it flows. The request lasts until
   * the connection is closed.
   * @throws Error if it is taken or answered already
   */
  take(code = 101): TakenConnection {
    if (this.#isTaken || this.#res.headersSent) throw new Error('the connection of the request is in use');
    this.#isTaken = true;
    // For metrics and audit; the response itself stays unused, and its close event is that of the connection.
    this.#res.statusCode = code;
    this.#socket.off('data', this.#keep);
    return { socket: this.#socket, head: Buffer.concat(this.#early) };
  }

  readonly #keep = (chunk: Buffer): void => {
    this.#earlyBytes += chunk.length;
    this.#early.push(chunk);
    if (this.#earlyBytes > maxEarlyBytes || this.#early.length > maxEarlyPieces) this.#socket.destroy();
  };

  /** Ends a taken connection after an error, which its protocol cannot express. */
  abandon(): void {
    this.#socket.destroy();
  }
}

/** Stored on the request: a WeakMap in the old generation would keep requests alive. */
const offered = Symbol('offered');

interface OfferingRequest extends IncomingMessage {
  [offered]?: UpgradeOffer;
}

/** The offer of a request; undefined if its connection stays with HTTP. */
export function upgradeOf(req: IncomingMessage): UpgradeOffer | undefined {
  return (req as OfferingRequest)[offered];
}

/**
 * The response to a request whose connection Node has handed over; the offer is then found by `upgradeOf`. Undefined if an
 * earlier response still has the connection: it is destroyed, as Node would throw outside of any request.
 */
export function offerUpgrade(
  req: IncomingMessage,
  socket: Duplex,
  { head, outgoing = ServerResponse }: { head: Buffer; outgoing?: typeof ServerResponse | undefined },
): ServerResponse | undefined {
  if (hasResponse(req.socket)) {
    socket.destroy();
    return undefined;
  }
  const res = new outgoing(req);
  (req as OfferingRequest)[offered] = new UpgradeOffer(res, socket, head);
  // Without a listener an error would crash the process; the following close event is handled.
  socket.on('error', () => undefined);
  res.shouldKeepAlive = false;
  res.assignSocket(req.socket);
  res.once('finish', () => {
    closeAfterLinger(socket);
    socket.resume();
    socket.end();
  });
  return res;
}

/** What Node's types do not have: the response that has the connection. */
function hasResponse(socket: Duplex & { readonly _httpMessage?: ServerResponse | null }): boolean {
  return (socket._httpMessage ?? null) !== null;
}
