/**
 * Connections of HTTP/2 (RFC 9113), chosen by ALPN: each stream becomes a request of the same handler.
 *
 *   open ──GOAWAY: draining, idle, `Connection: close`──▶ closing ──streams answered──▶ closed
 *     └──too many streams that end early, no answer to a ping, settings not acknowledged─▶ destroyed
 *
 * Node bounds frames without a purpose (pings, settings, empty data, continuations) and the headers of a request; the rest is
 * bounded here.
 */
import { systemClock } from '../../base/clock.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  constants,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type ServerOptions,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { FewATurn } from '../../base/few-a-turn.ts';
import { TokenBucket, type Rate } from '../../base/token-bucket.ts';
import { Silence } from './silence.ts';
import { SessionReads, type SessionReading } from './session-reading.ts';
import { TurnQueue } from '../turn-queue.ts';
import { refuseLargeHead } from '../refusals.ts';
import { connectionStateOf } from '../connection-state.ts';
import type { StreamClasses } from './stream-classes.ts';

export interface Http2Options {
  /** Streams that a client may have open at once on one connection. */
  readonly maxStreams: number;
  /** Of all headers of a request. */
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
  /** A connection without open streams is closed after this time. */
  readonly idleMs: number;
  /** One that has had no request yet is closed after this time, if that is less. */
  readonly headersMs: number;
  /** Time for the client to acknowledge the settings. */
  readonly settingsMs: number;
  /** Time for the client to close its side of a connection that is closed. */
  readonly lingerMs: number;
  /** A client with open streams that sends nothing for this time gets a ping. */
  readonly pingMs: number;
  /** Time for the client to send anything after a ping. */
  readonly pongMs: number;
  /** Interval of the checks. */
  readonly checkMs: number;
}

interface Connection {
  readonly socket: TLSSocket;
  readonly session: ServerHttp2Session;
  /** Streams that ended before their response, which cost the server more than the client (CVE-2023-44487). */
  readonly resets: TokenBucket;
  open: number;
  /** Whether it has had a request. */
  isUsed: boolean;
  /** The client has acknowledged the settings: until then neither side heeds them. */
  isAcknowledged: boolean;
  /** Requests before that. */
  early: number;
  readonly begunAt: number;
  /** Time of the last change of `open`, or of the start of closing. */
  changedAt: number;
  readonly silence: Silence;
  readonly reading: SessionReading;
  /** Of a request. */
  readonly maxHeaders: number;
  /** Takes no more requests. */
  readonly close: () => void;
}

/** The response of a stream, once its turn has come. */
interface Served {
  res: ServerResponse | undefined;
}

/** As much as closing all watches of a connection at once takes; a few in a second after that. */
const resetRate: Rate = { qps: 33, burst: 250 };

/** Responses that the client does not read may hold this much of a connection before more streams are rejected. */
const maxSessionMegabytes = 64;

/** Requests that wait to begin before connections with costly heads are read on. */
const maxWaiting = 16;

/**
 * What a client may do before it is known: one read of 64 KiB may hold as many headers as bytes, and each takes time and
 * memory. net/http2 in Go opens at most 100 streams before it knows the limit of the server, so none of its requests is
 * refused; Node's own limit is 128 headers.
 */
const unknownClient = { maxStreams: 100, maxHeaders: 128 };
/**
 * Headers beyond those that are served with which Node hands a request over: such a head is answered. Not many more, as
 * each byte of a head may name an entry of 4 KB of the dynamic table, all of whose text is checked (1 µs).
 */
const readHeadersMore = 256;
/**
 * Of the limit, with which Node hands a request over; what comes behind it in the head is decoded (14 ns for each reference),
 * but its text is not checked. Clients are told of it, and Node heeds it once they have acknowledged that.
 */
const readBytesShare = 2;
/** Requests before the settings are acknowledged: what is sent in a round trip, with as many streams as one may have. */
const mostEarly = 500;
/** Streams that end early, to which a head beyond the limits is equal; as many more as its bytes are of the limit. */
const largeHeadCost = 10;

export class Http2Connections {
  readonly #options: Http2Options;
  readonly #classes: StreamClasses;
  readonly #listener: (req: IncomingMessage, res: ServerResponse) => void;
  readonly #sessions: { readonly known: ServerOptions; readonly unknown: ServerOptions };
  readonly #connections = new Set<Connection>();
  readonly #turns = new TurnQueue();
  readonly #reads = new SessionReads(() => this.#turns.waiting > maxWaiting);
  /** Connections that a check has found, or that a stop closes. */
  readonly #checks = new FewATurn();
  readonly #timer: NodeJS.Timeout;

  constructor(
    options: Http2Options,
    classes: StreamClasses,
    listener: (req: IncomingMessage, res: ServerResponse) => void,
  ) {
    this.#options = options;
    this.#classes = classes;
    this.#listener = listener;
    this.#sessions = {
      known: sessionOptions(options),
      unknown: sessionOptions(atMostOf(options, unknownClient)),
    };
    this.#timer = setInterval(() => {
      this.#check();
    }, options.checkMs).unref();
  }

  /** Takes a connection whose client speaks HTTP/2. */
  take(socket: TLSSocket): void {
    const isKnown = socket.authorized;
    const { maxHeaders } = this.#options;
    const session = performServerHandshake(socket, isKnown ? this.#sessions.known : this.#sessions.unknown);
    if (!isKnown) this.#raiseOnceKnown(socket, session);
    const now = performance.now();
    const connection: Connection = {
      ...{
        socket,
        session,
        resets: new TokenBucket(resetRate, systemClock),
        open: 0,
        isUsed: false,
        isAcknowledged: false,
        early: 0,
        begunAt: now,
        changedAt: now,
      },
      silence: new Silence(this.#options),
      reading: this.#reads.follow(socket, {
        onFlood: () => {
          endFlood(session);
        },
        openStreams: () => connection.open,
      }),
      maxHeaders: isKnown ? maxHeaders : Math.min(maxHeaders, unknownClient.maxHeaders),
      close: () => {
        close(connection);
      },
    };
    this.#connections.add(connection);
    // Errors of a connection end it; its streams tell their requests.
    session.on('error', () => undefined);
    session.once('localSettings', () => {
      connection.isAcknowledged = true;
    });
    session.on('stream', (stream, _headers, _flags, rawHeaders: string[]) => {
      this.#serve(connection, stream, rawHeaders);
    });
    socket.once('close', () => this.#connections.delete(connection));
  }

  /** From now on no connection takes further requests; those without open streams are closed. */
  closeGracefully(): void {
    for (const connection of this.#connections) this.#checks.add(() => close(connection));
  }

  /** Closes all connections at once. */
  destroy(): void {
    for (const { session, socket } of this.#connections) {
      session.destroy();
      socket.destroy();
    }
  }

  /** Stops the timer; call it after the last connection is closed. */
  stop(): void {
    clearInterval(this.#timer);
    this.#reads.stop();
  }

  /** A client that has authenticated itself may have as many streams as others with a certificate. */
  #raiseOnceKnown(socket: TLSSocket, session: ServerHttp2Session): void {
    const { maxStreams } = this.#options;
    connectionStateOf(socket).onAuthenticated.push(() => {
      if (!session.destroyed) session.settings({ maxConcurrentStreams: maxStreams });
    });
  }

  #serve(connection: Connection, stream: ServerHttp2Stream, rawHeaders: readonly string[]): void {
    connection.isUsed = true;
    stream.on('error', ignore);
    if (isTooEarly(connection)) {
      endUnacknowledged(connection.session);
      return;
    }
    const bytes = bytesOf(rawHeaders);
    connection.reading.noteHead(stream, rawHeaders.length / 2, bytes);
    if (stream.destroyed) {
      this.#noteReset(connection);
      return;
    }
    if (rawHeaders.length / 2 > connection.maxHeaders || bytes > this.#options.maxHeaderBytes) {
      this.#noteReset(connection, largeHeadCost + Math.floor(bytes / this.#options.maxHeaderBytes));
      refuseLargeHead(stream, largeHeadText(connection.maxHeaders));
      return;
    }
    connection.open += 1;
    connection.changedAt = performance.now();
    const served: Served = { res: undefined };
    this.#watchEnd(connection, stream, served);
    this.#turns.begin({ rawHeaders }, () => {
      if (stream.destroyed) return;
      const req = new this.#classes.request({ stream, socket: connection.socket, rawHeaders });
      served.res = new this.#classes.response({ req, stream, closeConnection: connection.close });
      this.#listener(req, served.res);
    });
  }

  /** Apart, so that the function which stays as long as the stream does not hold the head. */
  #watchEnd(connection: Connection, stream: ServerHttp2Stream, served: Served): void {
    stream.on('close', () => {
      connection.open -= 1;
      connection.changedAt = performance.now();
      if (served.res?.writableFinished === true) return;
      connection.reading.noteAbort();
      this.#noteReset(connection);
    });
  }

  #noteReset({ session, resets }: Connection, count = 1): void {
    if (!resets.tryTake(count)) endFlood(session);
  }

  #check(): void {
    // The former check is not over: thousands of connections, and long turns.
    if (this.#checks.waiting > 0) return;
    const now = performance.now();
    for (const connection of this.#connections)
      if (this.#isDue(connection, now)) this.#checks.add(() => this.#checkOne(connection, performance.now()));
  }

  /** Whether a check would do anything. */
  #isDue(connection: Connection, now: number): boolean {
    const { session, open, isUsed, changedAt } = connection;
    if (this.#ignoresSettings(connection, now) || open > 0) return true;
    return now - changedAt > (isOver(session) ? this.#options.lingerMs : this.#idleMs(isUsed));
  }

  #checkOne(connection: Connection, now: number): void {
    if (connection.socket.destroyed || !this.#isDue(connection, now)) return;
    if (this.#ignoresSettings(connection, now)) endUnacknowledged(connection.session);
    else if (connection.open > 0) connection.silence.check(connection, now);
    else if (isOver(connection.session)) connection.socket.destroy();
    else close(connection);
  }

  #ignoresSettings({ isAcknowledged, begunAt, session }: Connection, now: number): boolean {
    return !isAcknowledged && !isOver(session) && now - begunAt > this.#options.settingsMs;
  }

  #idleMs(isUsed: boolean): number {
    const { idleMs, headersMs } = this.#options;
    return isUsed ? idleMs : Math.min(headersMs, idleMs);
  }
}

/** An error of a stream is told by its early end. A function made where the stream begins would hold the head as long as the stream. */
function ignore(): void {
  return undefined;
}

function isOver({ closed, destroyed }: ServerHttp2Session): boolean {
  return closed || destroyed;
}

/** The client does what costs the server more than itself. */
function endFlood(session: ServerHttp2Session): void {
  endWith(session, constants.NGHTTP2_ENHANCE_YOUR_CALM);
}

function isTooEarly(connection: Connection): boolean {
  if (connection.isAcknowledged) return false;
  connection.early += 1;
  return connection.early > mostEarly;
}

/** The client does not heed the settings within the time that it needs to read them (RFC 9113, section 6.5.3). */
function endUnacknowledged(session: ServerHttp2Session): void {
  endWith(session, constants.NGHTTP2_SETTINGS_TIMEOUT);
}

/** @param code what the client is told */
function endWith(session: ServerHttp2Session, code: number): void {
  // Node takes undefined for "no error", and says so to the client.
  const noError = null as unknown as undefined;
  if (!session.destroyed) session.destroy(noError, code);
}

function close(connection: Connection): void {
  if (isOver(connection.session)) return;
  connection.changedAt = performance.now();
  connection.session.close();
}

function largeHeadText(maxHeaders: number): string {
  const limit = `this connection may send ${String(maxHeaders)} headers`;
  const advice = maxHeaders === unknownClient.maxHeaders ? ', more with a client certificate' : '';
  return `the headers of the request are too large or too many: ${limit}${advice}`;
}

function bytesOf(rawHeaders: readonly string[]): number {
  let bytes = 0;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

type ClientLimits = Pick<Http2Options, 'maxStreams' | 'maxHeaders' | 'maxHeaderBytes'>;

function atMostOf(a: ClientLimits, b: Omit<ClientLimits, 'maxHeaderBytes'>): ClientLimits {
  return {
    ...a,
    maxStreams: Math.min(a.maxStreams, b.maxStreams),
    maxHeaders: Math.min(a.maxHeaders, b.maxHeaders),
  };
}

function sessionOptions({ maxStreams, maxHeaders, maxHeaderBytes }: ClientLimits): ServerOptions {
  return {
    // Backends repeat headers such as X-Content-Type-Options, as over HTTP/1.1.
    strictSingleValueFields: false,
    maxHeaderListPairs: maxHeaders + readHeadersMore,
    maxSessionMemory: maxSessionMegabytes,
    streamResetBurst: resetRate.burst,
    streamResetRate: resetRate.qps,
    settings: { maxConcurrentStreams: maxStreams, maxHeaderListSize: readBytesShare * maxHeaderBytes },
  };
}
