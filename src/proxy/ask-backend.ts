/**
 * Sends a request to a backend and waits for the head of its response. A hostile backend costs at most the deadlines and
 * the limits on heads.
 *
 *   connecting ──connectMs──▶ sending (as fast as the client sends) ──sent──▶ waiting ──headMs──▶ answered
 */
import { request as plainRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as tlsRequest, type RequestOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { limitInformational } from '../base/http-response.ts';
import { codeOf, messageOf } from '../base/errors.ts';
import { BackendReading } from './backend-reading.ts';
import { BackendError, type Backend, type ProxyPatience } from './types.ts';

export interface BackendRequest {
  readonly method: string;
  /** Names and values alternating. */
  readonly headers: readonly string[];
  /** Absent if the request has none. */
  readonly body?: Readable | undefined;
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
  patience: ProxyPatience,
): Promise<BackendAnswer> {
  // At most once per connection that is used again, as closed ones are dropped.
  for (;;) {
    const outcome = await send(backend, request, patience);
    if (outcome !== 'was closed') return outcome;
  }
}

function send(
  backend: Backend,
  request: BackendRequest,
  patience: ProxyPatience,
): Promise<BackendAnswer | 'was closed'> {
  const { promise, resolve, reject } = Promise.withResolvers<BackendAnswer | 'was closed'>();
  const sent = begin(backend, request);
  limitInformational(sent);
  const reading = new BackendReading(sent);
  const stopDeadlines = keepDeadlines(sent, patience);
  sent.on('socket', (socket) => socket.setKeepAlive(true, keepAliveMs));
  sent.on('response', (response) => {
    resolve({ response, body: reading.body() });
  });
  sent.on('upgrade', (response, socket, head: Buffer) => {
    resolve({ response, body: reading.body(), switched: { socket, head } });
  });
  sent.on('error', (error) => {
    if (sent.reusedSocket && codeOf(error) === 'ECONNRESET' && isRepeatable(request)) resolve('was closed');
    else reject(new BackendError(messageOf(error), { cause: error }));
  });
  sent.on('close', () => {
    reject(new BackendError('the connection was closed without a response'));
  });
  void promise.catch(() => undefined).finally(stopDeadlines);
  pass(request.body, sent);
  return promise;
}

function begin(backend: Backend, { method, headers, signal }: BackendRequest): ClientRequest {
  const { scheme, host, port, path, agent = false } = backend;
  const common = { method, host, port, path, agent, signal, headers, maxHeaderSize: maxHeaderBytes };
  try {
    if (scheme === 'http') return plainRequest(common);
    const { ca, cert, key, servername, insecureSkipVerify = false } = backend.tls ?? {};
    const options: RequestOptions & { readonly ALPNProtocols: string[] } = {
      ...common,
      ...(ca !== undefined && { ca: typeof ca === 'string' ? ca : [...ca] }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
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

/** A request without a body that changes nothing may be sent again on another connection. */
function isRepeatable({ method, body }: BackendRequest): boolean {
  return body === undefined && (method === 'GET' || method === 'HEAD');
}

/** While the body is sent there is no deadline, as it comes from the client. Returns what ends all of them. */
function keepDeadlines(sent: ClientRequest, { connectMs, headMs }: ProxyPatience): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isConnected = false;
  let isSent = false;
  let isOver = false;
  const giveUpAfter = (ms: number, problem: string): void => {
    timer = setTimeout(() => sent.destroy(new Error(problem)), ms);
  };
  const wait = (): void => {
    if (isOver || !isConnected) return;
    clearTimeout(timer);
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
    clearTimeout(timer);
  };
}

function whenConnected(sent: ClientRequest, then: () => void): void {
  sent.once('socket', (socket: Socket) => {
    if (sent.reusedSocket || !socket.connecting) then();
    else socket.once('encrypted' in socket ? 'secureConnect' : 'connect', then);
  });
}

function pass(body: Readable | undefined, sent: ClientRequest): void {
  if (!body) {
    sent.end();
    return;
  }
  // The head must not wait for a body that comes late.
  sent.flushHeaders();
  body.pipe(sent);
  const stop = (): void => {
    body.unpipe(sent);
    sent.destroy();
  };
  // A body that ends early must not look like a whole one.
  body.once('error', stop).once('aborted', stop);
  sent.once('close', () => {
    body.unpipe(sent).off('error', stop).off('aborted', stop);
  });
}
