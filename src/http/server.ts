/**
 * The HTTPS server: TLS 1.2 and newer, HTTP/1.1 with keepalive, HTTP/2, timeouts for slow clients, connection draining:
 *
 *   close ─▶ no new connections ─▶ watches end, responses close their connection, idle ones end ─▶ after the grace period all closed
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import { createServer } from 'node:https';
import type { AddressInfo, Server as TcpServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContext } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { systemClock } from '../base/clock.ts';
import type { Logger } from '../observe/log.ts';
import type { ConnectionMetrics } from '../observe/server-metrics.ts';
import { ConnectionGate, type ConnectionLimits } from './connection-gate.ts';
import { GoneClients } from './gone-clients.ts';
import { listenForHealthChecks } from './health-check-listener.ts';
import { listenOptions, type ListenPlace } from './listen-options.ts';
import { openFileLimit, withinOpenFiles } from './open-files.ts';
import { ConnectionReads } from './connection-reading.ts';
import { connectionStateOf } from './connection-state.ts';
import { parseBehind } from './declined-upgrade.ts';
import { Http2Connections } from './http2/http2-connections.ts';
import { streamClassesOf } from './http2/stream-classes.ts';
import { IdleEnds } from './idle-ends.ts';
import { RequestPipeline } from './request-pipeline.ts';
import type { MessageClasses } from './express-shell.ts';
import { NamedContexts, type NamedCertificate } from './named-certificates.ts';
import { notePeer } from './peer-identity.ts';
import {
  answerRefusals,
  isProper,
  isExpectationKnown,
  refuseConnect,
  refuseExpectation,
  refuseImproper,
} from './refusals.ts';
import { SessionChains } from './session-chains.ts';
import { policyOptions, usualTlsPolicy, type TlsPolicy } from './tls-policy.ts';
import { hasBody } from './unread-body.ts';
import { offerUpgrade } from './upgrade.ts';

/** PEM texts. */
export interface ServerTls {
  readonly cert: string;
  readonly key: string;
  /** Certificates for clients that ask for their names; absent if all get the one above. */
  readonly named?: readonly NamedCertificate[];
  /** CA bundle of client certificates; absent if none are requested. */
  readonly clientCa?: string | readonly string[] | undefined;
}

export interface Handler {
  (req: IncomingMessage, res: ServerResponse): void;
  readonly classes?: Omit<MessageClasses, 'streams'> & Partial<MessageClasses>;
  /**
   * Whether the connection of this request may be used for the protocol that it asks for. If not, or if this is
   * absent, the request is served as if it asked for none.
   */
  mayUpgrade?(req: IncomingMessage): boolean;
  /** Connection draining: ends watches, and closes each connection after its response. */
  drain(): void;
}

/** Port 0 selects a free one. */
export interface HttpServerOptions extends ListenPlace {
  /** A second port, of which handshakes do not wait for those of the first; absent or 0 for none. */
  readonly healthCheckPort?: number;
  readonly tls: ServerTls;
  readonly handler: Handler;
  readonly logger: Logger;
  /** Versions and cipher suites; absent for the defaults. */
  readonly tlsPolicy?: TlsPolicy;
  /** Timeouts for slow clients; absent for the defaults. */
  readonly patience?: Patience;
  /** Limits connections and handshakes; absent if there is no limit. */
  readonly connections?: ConnectionBounds;
  /** Maximum number of open streams of an HTTP/2 connection; absent for the default. */
  readonly maxStreams?: number | undefined;
}

export interface ConnectionBounds extends ConnectionLimits {
  readonly metrics: ConnectionMetrics;
}

/** Timeouts for slow clients, in milliseconds. Watches are not affected, as their request is complete. */
export interface Patience {
  readonly handshakeMs: number;
  readonly headersMs: number;
  /** Headers and body together. */
  readonly requestMs: number;
  /** Interval of the check. */
  readonly checkMs: number;
  /** Keepalive timeout of connections without requests; absent for the default. */
  readonly idleMs?: number;
  /** HTTP/2: silence of a client with open streams until it gets a ping, and then until it is gone; absent for the defaults. */
  readonly pingMs?: number;
  readonly pongMs?: number;
  /** HTTP/2: time for a client to acknowledge the settings; absent for the default. */
  readonly settingsMs?: number;
}

export interface HttpServer {
  readonly host: string;
  readonly port: number;
  /** Uses other certificates for new connections; earlier TLS sessions are not resumed. */
  setTls(tls: ServerTls): void;
  /** Resolves when all connections are closed; those that outlive `graceMs` are destroyed. Idempotent. */
  close(graceMs: number): Promise<void>;
}

/** Keepalive timeout of idle connections; longer than that of most load balancers, so that these close first. */
const keepAliveMs = 90_000;
const usualPatience: Patience = {
  handshakeMs: 10_000,
  headersMs: 30_000,
  requestMs: 60_000,
  checkMs: 5_000,
};
/** Of thousands at once a handshake waits for its begin, and to be read (Node counts that as its time): in times of one handshake. */
const waitsForTurn = { begin: 3, read: 0.5 };
/** Idle time before TCP keepalive probes: watches and other connections have no deadline that would find a dead client. */
const probeMs = 30_000;
const maxHeaderBytes = 64 * 1024;
/** Node's own limit for HTTP/1.1. */
const maxHeaders = 1_000;
/** As in the reference. */
const usualStreams = 250;
/** Pings as ReadIdleTimeout and PingTimeout in kube-apiserver's HTTP/2 clients. */
const usualTimes = { pingMs: 30_000, pongMs: 15_000, settingsMs: 10_000 };
/** Time for a client to close its side of an HTTP/2 connection that is closed. */
const lingerMs = 5_000;
/** Starts listening. Rejects if the address cannot be used or the certificate does not match its key. */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { handler, logger, patience = usualPatience, maxStreams = usualStreams } = options;
  const { tlsPolicy = usualTlsPolicy } = options;
  const namedContexts = (next: ServerTls): NamedContexts =>
    new NamedContexts(next.named ?? [], contextOptions(next, tlsPolicy));
  let named = namedContexts(options.tls);
  const server = createServer({
    ...secureOptions(options.tls, tlsPolicy),
    ...((options.tls.named?.length ?? 0) > 0 && {
      SNICallback: (name: string, use: ContextChoice) => {
        use(null, named.of(name));
      },
    }),
    ...(handler.classes && {
      IncomingMessage: handler.classes.incoming,
      ServerResponse: handler.classes.outgoing,
    }),
    ALPNProtocols: ['h2', 'http/1.1'],
    keepAlive: true,
    keepAliveInitialDelay: probeMs,
    handshakeTimeout: patience.handshakeMs * (1 + waitsForTurn.read),
    keepAliveTimeout: patience.idleMs ?? keepAliveMs,
    headersTimeout: patience.headersMs,
    requestTimeout: patience.requestMs,
    connectionsCheckingInterval: patience.checkMs,
    maxHeaderSize: maxHeaderBytes,
    // Rejected here, with a Status.
    requireHostHeader: false,
  });
  serveInTurn(server, handler, patience.checkMs);
  const streams = serveStreams(server, handler, { maxStreams, patience });
  endFailedHandshakes(server, logger);
  if (options.connections) guardConnections(server, options.connections, patience.handshakeMs);
  const parts = { server, streams, handler };
  const listeners = await listenAt(parts, options);
  // Not earlier: in a worker, node:cluster has just set the keys of all workers.
  const chains = keepSessionChains(server);
  const { address, port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  let { tls } = options;
  return {
    host: address,
    port,
    setTls: (next) => {
      // TLS sessions remain valid if the certificates have not changed.
      if (isDeepStrictEqual(next, tls)) return;
      tls = next;
      named = namedContexts(tls);
      server.setSecureContext(secureOptions(tls, tlsPolicy));
      chains.renew();
    },
    close: (graceMs) => (closing ??= closeServer(parts, listeners, graceMs)),
  };
}

/**
 * Unverified client certificates are accepted in the handshake: the authenticator rejects them with 401 instead of a
 * TLS alert.
 */
function secureOptions(tls: ServerTls, policy: TlsPolicy) {
  const { cert, key, clientCa } = tls;
  const peers = { requestCert: clientCa !== undefined, rejectUnauthorized: false };
  return { cert, key, ...peers, ...contextOptions(tls, policy) };
}

/** Those that all certificates share. */
function contextOptions({ clientCa }: ServerTls, policy: TlsPolicy) {
  return {
    ...policyOptions(policy),
    ...(clientCa !== undefined && { ca: typeof clientCa === 'string' ? clientCa : [...clientCa] }),
  };
}

/**
 * Closes connections whose TLS handshake failed or took too long, before Node's listener answers them by HTTP: a client that
 * completes its handshake behind such an answer would abort the process, as a session of HTTP/2 then writes over it.
 */
function endFailedHandshakes(server: Server, logger: Logger): void {
  server.prependListener('tlsClientError', (error, socket) => {
    logger.debug('a TLS handshake failed', { err: error });
    socket.destroy();
  });
}

type ContextChoice = (error: null, context: SecureContext | undefined) => void;

/** Installs the connection gate before TLS handshakes. */
function guardConnections(
  server: Server,
  { metrics, ...limits }: ConnectionBounds,
  handshakeMs: number,
): void {
  const bounds = withinOpenFiles(limits, openFileLimit());
  const times = { handshakeMs, queueMs: handshakeMs * waitsForTurn.begin };
  const gate = new ConnectionGate({ ...bounds, ...times, rejected: metrics.rejectedConnections });
  const handshakeErrors = metrics.tlsHandshakeErrors.series();
  handshakeErrors.set(0);
  const begin = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    gate.take(socket, () => {
      for (const listener of begin) Reflect.apply(listener, server, [socket]);
    });
  });
  // Before a protocol takes the connection: Node aborts the process where a session of HTTP/2 is made to read while it writes.
  server.prependListener('secureConnection', (socket) => {
    gate.shaken(socket);
    connectionStateOf(socket).onAuthenticated.push(() => {
      gate.establish(socket);
    });
  });
  server.on('tlsClientError', (_error, socket) => {
    handshakeErrors.add();
    gate.shaken(socket);
  });
}

/** Peers have their whole certificate chain, also in resumed TLS sessions. */
function keepSessionChains(server: Server): SessionChains {
  const chains = new SessionChains({
    setTicketKeys: (keys) => {
      server.setTicketKeys(keys);
    },
  });
  server.on('secureConnection', (socket) => {
    notePeer(socket, (presented) => chains.complete(presented));
  });
  return chains;
}

/** Listens at both ports; gives what accepts connections. Nothing listens any more if one of them cannot be used. */
async function listenAt(parts: ServerParts, options: HttpServerOptions): Promise<TcpServer[]> {
  const { server } = parts;
  const { healthCheckPort: port = 0 } = options;
  await listen(server, options);
  if (port === 0) return [server];
  try {
    return [server, await listenForHealthChecks(server, { ...options, port, probeMs })];
  } catch (error) {
    await closeServer(parts, [server], 0);
    throw error;
  }
}

function listen(server: Server, place: ListenPlace): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(listenOptions(place), () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * Serves the requests of a connection in sequence. Node treats a connection as idle once its response is written and
 * would close it during a large response. Here a connection is idle when its responses are sent.
 */
function serveInTurn(server: Server, handler: Handler, checkMs: number): void {
  const connections = new Set<Duplex>();
  const gone = new GoneClients(connections);
  server.once('listening', () => {
    gone.start(checkMs);
  });
  server.once('close', () => {
    gone.stop();
  });
  const pipeline = new RequestPipeline(handler, (socket) => {
    if (!server.listening) idleEnds.after([socket]);
  });
  const idleEnds = new IdleEnds((socket) => pipeline.answering(socket) !== undefined);
  const reads = new ConnectionReads();
  const take = (req: IncomingMessage, res: ServerResponse): void => {
    reads.note(req);
    if (isProper(req)) pipeline.take(req, res);
    else refuseImproper({ req, res });
  };
  answerRefusals(server, pipeline);
  upgradeWhere(server, handler, pipeline);
  // `100 Continue` is sent only after authorization.
  server.on('request', take).on('checkContinue', take);
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') return;
    connections.add(socket);
    reads.follow(socket);
    if (!server.listening) idleEnds.after([socket]);
    socket.once('close', () => connections.delete(socket));
  });
  server.closeIdleConnections = () => {
    idleEnds.after([...connections]);
  };
  // Node forgets connections that it has handed over.
  server.closeAllConnections = () => {
    for (const socket of connections) socket.destroy();
  };
}

/**
 * Requests that ask for another protocol go through the pipeline like others. One that has a body, or waits for the
 * response to an earlier request, is served as if it asked for none, which RFC 9110 (section 7.8) allows.
 */
function upgradeWhere(server: Server, handler: Handler, pipeline: RequestPipeline): void {
  const mayUpgrade = (req: IncomingMessage): boolean =>
    handler.mayUpgrade?.(req) === true && isProper(req) && !hasBody(req) && !pipeline.answering(req.socket);
  const shouldUpgrade = (req: IncomingMessage): boolean => {
    const may = mayUpgrade(req);
    if (!may) parseBehind(req.socket);
    return may;
  };
  Object.assign(server, { shouldUpgradeCallback: shouldUpgrade });
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    const res = offerUpgrade(req, socket, { head, outgoing: handler.classes?.outgoing });
    if (res) pipeline.take(req, res);
  });
}

/** Gives the connections that chose HTTP/2 in the handshake to that protocol. */
function serveStreams(
  server: Server,
  handler: Handler,
  { maxStreams, patience }: { readonly maxStreams: number; readonly patience: Patience },
): Http2Connections {
  const take = (req: IncomingMessage, res: ServerResponse): void => {
    if (req.method === 'CONNECT') refuseConnect(res);
    else if (!isProper(req)) refuseImproper({ req, res });
    else if (isExpectationKnown(req)) handler(req, res);
    else refuseExpectation(req, res);
  };
  const { checkMs, headersMs, idleMs = keepAliveMs, ...more } = { ...usualTimes, ...patience };
  const { settingsMs, pingMs, pongMs } = more;
  const linger = { lingerMs: Math.min(lingerMs, idleMs), checkMs };
  const times = { idleMs, headersMs, settingsMs, pingMs, pongMs };
  const limits = { maxStreams, maxHeaderBytes, maxHeaders, ...times, ...linger };
  const streams = new Http2Connections(limits, handler.classes?.streams ?? streamClassesOf(), take);
  const [serveHttp1, ...others] = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') streams.take(socket);
    else if (serveHttp1) Reflect.apply(serveHttp1, server, [socket]);
  });
  for (const other of others) server.on('secureConnection', other);
  return streams;
}

interface ServerParts {
  readonly server: Server;
  readonly streams: Http2Connections;
  readonly handler: Handler;
}

async function closeServer(
  { server, streams, handler }: ServerParts,
  listeners: readonly TcpServer[],
  graceMs: number,
): Promise<void> {
  const cut = systemClock.setTimeout(() => {
    server.closeAllConnections();
    streams.destroy();
  }, graceMs);
  handler.drain();
  const closed = listeners.map((listener) => new Promise((resolve) => listener.close(resolve)));
  streams.closeGracefully();
  await Promise.all(closed);
  systemClock.clear(cut);
  streams.stop();
}
