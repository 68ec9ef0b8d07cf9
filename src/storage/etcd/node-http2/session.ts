/** The transport over node:http2. */
import { connect, sensitiveHeaders, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';

import { KeepAlive } from '../http2/keep-alive.ts';
import { socketTo, speaksHttp2 } from '../http2/socket.ts';
import type {
  Exchange,
  Field,
  RequestHead,
  StreamListener,
  StreamRequest,
  Transport,
  TransportOptions,
} from '../transport.ts';
import { NodeExchange } from './exchange.ts';
import { OverheadGuard } from './overhead-guard.ts';

/** The stream window holds a whole page without window updates; that of the connection, several. */
const streamWindow = 4 * 1024 * 1024;
const connectionWindow = 16 * 1024 * 1024;
/** Unsent bodies count, and Node rejects requests beyond the limit: bursts of writes have many. */
const mostSessionMegabytes = 256;

export class NodeTransport implements Transport {
  readonly #session: ClientHttp2Session;
  readonly #constantHeaders: readonly Field[];
  readonly #keepAlive: KeepAlive | undefined;
  readonly #guard: OverheadGuard;
  readonly #running = new Set<NodeExchange>();
  /** Requests beyond the concurrency limit of the peer, which Node would report as sent. */
  readonly #waiting: NodeExchange[] = [];
  #isFinishing = false;
  /** The peer finishes the streams up to this id (GOAWAY). */
  #lastStream = Infinity;
  #isOver = false;
  #why: Error | undefined;

  private constructor(address: URL, { tls, headers, keepAlive }: TransportOptions) {
    const scheme = address.protocol === 'https:' ? 'https' : 'http';
    this.#constantHeaders = [
      [':method', 'POST'],
      [':scheme', scheme],
      [':authority', address.host],
      ...headers,
    ];
    const socket = socketTo(address, tls);
    socket.setNoDelay(true);
    this.#session = connect(`${scheme}://localhost`, {
      createConnection: () => socket,
      maxSessionMemory: mostSessionMegabytes,
      settings: { enablePush: false, initialWindowSize: streamWindow, headerTableSize: 0 },
    });
    this.#guard = new OverheadGuard(
      () => socket.bytesRead,
      (error) => {
        this.#die(error);
      },
    );
    this.#keepAlive = KeepAlive.start(keepAlive, {
      ping: () => this.#ping(),
      fail: (error) => {
        this.#die(error);
      },
    });
    this.#listen();
  }

  /**
   * Resolves when the peer's SETTINGS are received.
   * @throws Error if that fails or times out
   */
  static async connect(address: URL, options: TransportOptions, timeoutMs: number): Promise<NodeTransport> {
    const transport = new NodeTransport(address, options);
    const up = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => {
      transport.#die(new Error('it does not respond'));
    }, timeoutMs);
    transport.#session
      .once('remoteSettings', () => {
        up.resolve(undefined);
      })
      .once('close', () => {
        up.reject(transport.#why ?? new Error('it ended the connection'));
      });
    try {
      await up.promise;
      return transport;
    } finally {
      clearTimeout(timer);
    }
  }

  get isUp(): boolean {
    return !this.#isFinishing && !this.#session.closed && !this.#session.destroyed;
  }

  open(request: StreamRequest, listener: StreamListener): Exchange {
    const exchange = new NodeExchange(request, listener, () => {
      this.#forget(exchange);
    });
    if (!this.isUp) exchange.end('refused');
    else if (this.#running.size >= this.#mostStreams()) this.#waiting.push(exchange);
    else this.#begin(exchange);
    return exchange;
  }

  close(graceMs: number): void {
    this.#finish();
    const end = (): void => {
      this.#die(new Error('closed'));
    };
    if (graceMs <= 0 || this.#running.size === 0) end();
    else setTimeout(end, graceMs).unref();
  }

  #listen(): void {
    const session = this.#session;
    session.on('connect', (_session, socket: Socket) => {
      if (speaksHttp2(socket)) session.setLocalWindowSize(connectionWindow);
      else this.#die(new Error('it does not speak HTTP/2'));
    });
    session.on('remoteSettings', () => {
      this.#beginWaiting();
    });
    session.on('goaway', (_code: number, lastStream: number | undefined) => {
      this.#lastStream = lastStream ?? 0;
      this.#finish();
    });
    session.on('error', (error: Error) => {
      this.#why ??= error;
      this.#finish();
    });
    session.on('close', () => {
      this.#die(new Error('it ended the connection'));
    });
  }

  check(): void {
    this.#keepAlive?.check();
  }

  /** A connection without streams sends no pings: etcd closes idle connections that do. */
  #ping(): boolean {
    if (this.#running.size === 0 || this.#session.destroyed) return false;
    return this.#session.ping(() => this.#keepAlive?.hear());
  }

  #mostStreams(): number {
    return this.#session.remoteSettings.maxConcurrentStreams ?? Infinity;
  }

  #begin(exchange: NodeExchange): void {
    this.#running.add(exchange);
    const { body, head } = exchange.request;
    this.#guard.request(body.length);
    exchange.begin(this.#session.request(this.#fields(head), { endStream: false }), (bytes) => {
      this.#guard.answer(bytes);
    });
  }

  #fields({ path, changing, secret }: RequestHead): OutgoingHttpHeaders {
    const fields: OutgoingHttpHeaders = {};
    for (const [name, value] of this.#constantHeaders) fields[name] = value;
    fields[':path'] = path;
    fields[changing[0]] = changing[1];
    if (secret === undefined) return fields;
    fields[secret[0]] = secret[1];
    return Object.assign(fields, { [sensitiveHeaders]: [secret[0]] });
  }

  #beginWaiting(): void {
    while (this.#waiting.length > 0 && this.isUp && this.#running.size < this.#mostStreams()) {
      const exchange = this.#waiting.shift();
      if (exchange?.isOver === false) this.#begin(exchange);
    }
  }

  #forget(exchange: NodeExchange): void {
    this.#running.delete(exchange);
    this.#beginWaiting();
    if (this.#isFinishing && this.#running.size === 0) this.#die(new Error('closed'));
  }

  #finish(): void {
    this.#isFinishing = true;
    for (const exchange of this.#waiting.splice(0)) exchange.end('refused');
    for (const exchange of [...this.#running]) if (exchange.id > this.#lastStream) exchange.end('refused');
    if (this.#running.size === 0) this.#die(new Error('closed'));
  }

  #die(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#why ??= error;
    this.#finish();
    this.#keepAlive?.stop();
    this.#guard.stop();
    this.#session.destroy();
    for (const exchange of [...this.#running]) exchange.end('lost', this.#why.message);
  }
}
