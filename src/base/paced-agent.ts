/**
 * TLS connections to servers that are asked by many requests at once. A handshake costs the serving thread half a
 * millisecond and more, and many that begin together end together: few with one server are in progress at a time, and
 * a request that waits takes a connection that becomes free meanwhile.
 *
 *   request ─▶ free connection, or fewer than 8 handshakes with the server ─▶ sent
 *          └─▶ waits ── a connection is free, a handshake ended or takes longer than 20 ms ─▶ sent
 *
 * A request that ends without an answer closes the idle connections on which the server has been as silent: it may be gone,
 * and each would cost one more request its time. (Clients in Go find out by a ping of HTTP/2.)
 */
import type { X509Certificate } from 'node:crypto';
import type { ClientRequest } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import {
  createSecureContext,
  TLSSocket,
  type ConnectionOptions,
  type SecureContext,
  type SecureContextOptions,
} from 'node:tls';
import type { Clock } from './clock.ts';
import { boundHandshake, oneHandshake } from './handshake-bytes.ts';
import { byName } from './host-names.ts';
import { boundKeyChanges } from './key-changes.ts';
import { namelessAuthorities, verifyByNameless } from './nameless-authorities.ts';
import { waitInLine } from './waiting-line.ts';

/** Handshakes with one server that may end in the same turn of the event loop. */
const mostAtOnce = 8;
/** A server that does not answer, or is far away, delays the requests behind by this time. */
const countsMs = 20;
/** A request that ends sooner says nothing of its server. */
const silentMs = 500;

/**
 * Of connections that `verifyByNameless` judges: Node ends none. Each shakes hands in full, since a session that is resumed
 * has no certificate to be judged.
 */
const judgedHere = { rejectUnauthorized: false, session: undefined };

/** Where connections lead. */
export interface Place {
  readonly host: string;
  readonly port: number | string;
}

interface Pace {
  shaking: number;
  readonly waiting: Set<() => void>;
}

export class PacedAgent extends Agent {
  readonly #clock: Clock;
  readonly #identity: SecureContextOptions;
  readonly #paces = new Map<string, Pace>();
  /** When a connection became free. */
  readonly #freeSince = new WeakMap<Duplex, number>();
  /** Made once: reading certificates costs as much as a handshake. */
  #context: SecureContext | undefined;
  /** Almost always none. */
  #nameless: readonly X509Certificate[] | undefined;

  /** @param identity what is shown to servers, and what they are recognized by */
  constructor(clock: Clock, identity: SecureContextOptions, options: AgentOptions = {}) {
    super(options);
    this.#clock = clock;
    this.#identity = identity;
    this.on('free', (socket: Duplex, { host, port }: RequestOptions) => {
      this.#freeSince.set(socket, clock.monotonic());
      this.#goOn(nameOf(host, port));
    });
  }

  /**
   * Calls `send`, which sends a request by this agent, when its turn has come.
   * @throws the reason of the signal
   */
  begin(place: Place, signal: AbortSignal, send: () => void): void | Promise<void> {
    const name = nameOf(place.host, place.port);
    const pace = this.#paceOf(name);
    if (pace.waiting.size === 0 && this.#mayBegin(name, pace)) {
      send();
      this.#forgetIdle(name, pace);
      return;
    }
    return waitInLine(pace.waiting, signal, send);
  }

  /** To be called for each request that is sent: closes silent connections if it has no answer. */
  follow(sent: ClientRequest, place: Place): void {
    let since = Infinity;
    const answered = (): void => {
      since = Infinity;
    };
    sent.once('socket', () => {
      since = this.#clock.monotonic();
    });
    sent.once('response', answered).once('upgrade', answered);
    sent.once('close', () => {
      if (this.#clock.monotonic() - since >= silentMs) this.#closeSilent(place, since);
    });
  }

  #closeSilent({ host, port }: Place, since: number): void {
    for (const socket of this.#freeTo(nameOf(host, port)))
      if ((this.#freeSince.get(socket) ?? 0) <= since) socket.destroy();
  }

  #freeTo(name: string): Duplex[] {
    const prefix = `${name}:`;
    const places = Object.entries(this.freeSockets).filter(([server]) => server.startsWith(prefix));
    return places.flatMap(([, sockets]) => sockets ?? []);
  }

  /** Called by Node for each connection. */
  override createConnection(
    options: RequestOptions,
    done?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    this.#context ??= createSecureContext({ ...this.#identity, ...oneHandshake });
    // As of connect() in node:tls, which Node passes the options to.
    const context: ConnectionOptions = { secureContext: this.#context };
    this.#nameless ??= namelessAuthorities(this.#identity);
    const verifies = this.#nameless.length > 0 && options.rejectUnauthorized !== false;
    const socket = super.createConnection(
      { ...byName, ...options, ...context, ...(verifies && judgedHere) },
      done,
    );
    if (!socket) return socket;
    boundHandshake(socket);
    if (socket instanceof TLSSocket) boundKeyChanges(socket, 'server');
    if (verifies)
      verifyByNameless(socket, this.#nameless, options.servername || (options.host ?? 'localhost'));
    this.#count(socket, nameOf(options.host, options.port));
    return socket;
  }

  #count(socket: Duplex, name: string): void {
    const pace = this.#paceOf(name);
    pace.shaking += 1;
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      this.#clock.clear(timer);
      pace.shaking -= 1;
      this.#goOn(name);
    };
    const timer = this.#clock.setTimeout(over, countsMs);
    socket.once('secureConnect', over).once('close', over);
  }

  #goOn(name: string): void {
    const pace = this.#paces.get(name);
    if (!pace) return;
    for (const go of pace.waiting) {
      if (!this.#mayBegin(name, pace)) return;
      go();
    }
    this.#forgetIdle(name, pace);
  }

  #mayBegin(name: string, { shaking }: Pace): boolean {
    return shaking < mostAtOnce || this.#freeTo(name).length > 0;
  }

  #paceOf(name: string): Pace {
    const pace = this.#paces.get(name) ?? { shaking: 0, waiting: new Set() };
    this.#paces.set(name, pace);
    return pace;
  }

  #forgetIdle(name: string, { shaking, waiting }: Pace): void {
    if (shaking === 0 && waiting.size === 0) this.#paces.delete(name);
  }
}

/** As names of connections begin in Node. */
function nameOf(host: string | null | undefined, port: number | string | null | undefined): string {
  return `${host ?? 'localhost'}:${String(port ?? 443)}`;
}
