/**
 * Sends a request to a backend and waits for the head of its response. A hostile backend costs at most the deadlines and
 * the limits on heads.
 *
 *   connecting ──connectMs──▶ sending (as fast as the client sends) ──sent──▶ waiting ──headMs──▶ answered
 */
import {
  request as plainRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions as PlainOptions,
} from 'node:http';
import { request as tlsRequest, type RequestOptions } from 'node:https';
import { isIP, type OnReadOpts, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import type { Timer } from '../base/clock.ts';
import { byName } from '../base/host-names.ts';
import { limitInformational } from '../base/http-response.ts';
import { PacedAgent } from '../base/paced-agent.ts';
import { codeOf, messageOf } from '../base/errors.ts';
import { MessageReading } from './message-reading.ts';
import { passBody } from './pass-body.ts';
import { shortReads } from './short-reads.ts';
import { BackendError, type Backend, type BackendTls, type ProxyWaits } from './types.ts';

export interface BackendRequest {
  readonly method: string;
  /** Names and values alternating. */
  readonly headers: readonly string[];
  /** Absent if the request has none. */
  readonly body?: IncomingMessage | undefined;
  /** What the connection shall change to; absent: it must stay as it is. */
  readonly protocol?: string | undefined;
  readonly signal: AbortSignal;
}

/** `socket` and `head`: the backend has changed the protocol. */
export interface BackendAnswer {
  /** Its head; the body is read with `body`. */
  readonly response: IncomingMessage;
  /** @throws Error when the response ends early */
  readonly body: AsyncIterable<Buffer>;
  readonly switched?: { readonly socket: Duplex; readonly head: Buffer };
}

/** The status of a response after which the connection speaks another protocol. */
const switching = 101;
const maxHeaderBytes = 64 * 1024;
/** Idle time before TCP keepalive probes find a peer that is gone. */
const keepAliveMs = 30_000;

/**
 * Redirects are not followed: they could lead anywhere, and with the credentials of this service.
 * @throws BackendError; StatusError never
 */
export async function askBackend(
  backend: Backend,
  request: BackendRequest,
  waits: ProxyWaits,
): Promise<BackendAnswer> {
  // At most once per connection that is used again, as closed ones are dropped.
  for (;;) {
    const outcome = await send(backend, request, waits);
    if (outcome !== 'was closed') return outcome;
  }
}

function send(
  backend: Backend,
  request: BackendRequest,
  waits: ProxyWaits,
): Promise<BackendAnswer | 'was closed'> {
  const { promise, resolve, reject } = Promise.withResolvers<BackendAnswer | 'was closed'>();
  const { agent, host, port } = backend;
  const go = (): void => {
    sendNow(backend, request, { waits, resolve, reject });
  };
  if (agent instanceof PacedAgent) {
    Promise.try(() => agent.begin({ host, port }, request.signal, go)).catch((error: unknown) => {
      reject(error instanceof BackendError ? error : new BackendError(messageOf(error), { cause: error }));
    });
  } else go();
  return promise;
}

interface Sending {
  readonly waits: ProxyWaits;
  readonly resolve: (outcome: BackendAnswer | 'was closed') => void;
  readonly reject: (error: Error) => void;
}

/** @throws BackendError where nothing can be sent */
function sendNow(backend: Backend, request: BackendRequest, { waits, resolve, reject }: Sending): void {
  const sent = begin(backend, request);
  limitInformational(sent);
  if (backend.agent instanceof PacedAgent) backend.agent.follow(sent, backend);
  const reading = readingOf(sent);
  const stopDeadlines = keepDeadlines(sent, waits);
  sent.on('socket', (socket) => socket.setKeepAlive(true, keepAliveMs));
  sent.on('response', (response) => {
    stopDeadlines();
    if (response.statusCode === switching) sent.destroy(unasked());
    else resolve({ response, body: reading.body() });
  });
  sent.on('upgrade', (response, socket, head: Buffer) => {
    stopDeadlines();
    if (request.protocol === undefined) {
      // Nobody else ends it: the connection is no longer that of the request.
      socket.destroy();
      reject(unasked());
    } else resolve({ response, body: reading.body(), switched: { socket, head } });
  });
  sent.on('error', (error) => {
    if (sent.reusedSocket && codeOf(error) === 'ECONNRESET' && isRepeatable(request)) resolve('was closed');
    else reject(new BackendError(messageOf(error), { cause: error }));
  });
  sent.on('close', () => {
    stopDeadlines();
    reject(new BackendError('the connection was closed without a response'));
  });
  if (request.body) passBody(request.body, sent, waits.clock);
  else sent.end();
}

function unasked(): BackendError {
  return new BackendError('the backend changed the protocol of the connection without being asked');
}

function readingOf(sent: ClientRequest): MessageReading {
  const reading = new MessageReading();
  const leave = (): void => {
    reading.leave();
  };
  sent.on('socket', (socket) => {
    reading.follow(socket);
  });
  sent.on('response', (response) => {
    reading.begin(response);
  });
  sent.on('upgrade', leave).on('close', leave);
  return reading;
}

function begin(backend: Backend, request: BackendRequest): ClientRequest {
  const { method, protocol, signal } = request;
  const { scheme, host, port, path, agent = false } = backend;
  const asked = protocol === undefined ? [] : ['Connection', 'Upgrade', 'Upgrade', protocol];
  const headers = [...request.headers, ...asked];
  const common = {
    ...byName,
    method,
    host,
    port,
    path,
    agent,
    signal,
    headers,
    maxHeaderSize: maxHeaderBytes,
  };
  try {
    if (scheme === 'http') {
      // Node passes it on to the connection.
      const options: PlainOptions & { readonly onread: OnReadOpts } = { ...common, onread: shortReads() };
      return plainRequest(options);
    }
    const { ca, cert, key, servername, insecureSkipVerify = false } = backend.tls ?? {};
    const options: RequestOptions & { readonly ALPNProtocols: string[] } = {
      ...common,
      ...(!(agent instanceof PacedAgent) && identityOf({ ca, cert, key })),
      rejectUnauthorized: !insecureSkipVerify,
      // Otherwise Node takes the name from the header Host, which is the client's.
      servername: servername ?? (isIP(host) === 0 ? host : ''),
      ALPNProtocols: ['http/1.1'],
      minVersion: 'TLSv1.2',
    };
    return tlsRequest(options);
  } catch (error) {
    // Node refuses characters that no head may have.
    throw new BackendError(messageOf(error), { cause: error });
  }
}

function identityOf({ ca, cert, key }: BackendTls): SecureContextOptions {
  return {
    ...(ca !== undefined && { ca: typeof ca === 'string' ? ca : [...ca] }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

/** A request without a body that changes nothing may be sent again on another connection. */
function isRepeatable({ method, body }: BackendRequest): boolean {
  return body === undefined && (method === 'GET' || method === 'HEAD');
}

/** While the body is sent there is no deadline, as it comes from the client. Returns what ends all of them. */
function keepDeadlines(sent: ClientRequest, { clock, patience }: ProxyWaits): () => void {
  const { connectMs, headMs } = patience;
  let timer: Timer | undefined;
  let isConnected = false;
  let isSent = false;
  let isOver = false;
  const giveUpAfter = (ms: number, problem: string): void => {
    timer = clock.setTimeout(() => sent.destroy(new Error(problem)), ms);
  };
  const wait = (): void => {
    if (isOver || !isConnected) return;
    clock.clear(timer);
    if (isSent && headMs < Infinity) giveUpAfter(headMs, 'the backend did not respond in time');
  };
  giveUpAfter(connectMs, 'the backend did not accept the connection in time');
  whenConnected(sent, () => {
    isConnected = true;
    wait();
  });
  sent.on('finish', () => {
    isSent = true;
    wait();
  });
  return () => {
    isOver = true;
    clock.clear(timer);
  };
}

function whenConnected(sent: ClientRequest, then: () => void): void {
  sent.once('socket', (socket: Socket) => {
    if (sent.reusedSocket || !socket.connecting) then();
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', then);
  });
}
