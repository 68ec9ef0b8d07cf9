/** Requests to an API server: JSON over keepalive connections, failures as StatusError. */
import type { IncomingMessage } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import type { Clock } from '../base/clock.ts';
import type { JsonObject } from '../base/json.ts';
import { limitInformational } from '../base/http-response.ts';
import { PacedAgent, type Place } from '../base/paced-agent.ts';
import { currentSpan, inStep, type Span } from '../base/span.ts';
import { defaultLimits } from '../codec/limits.ts';
import {
  bodyText,
  contentHeaders,
  jsonOf,
  linesOf,
  type ApiRequest,
  type ApiTransport,
} from './api-transport.ts';
import type { ApiAccess } from './kubeconfig-reader.ts';

/** Address of connections that differs from the server name. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface TransportOptions {
  readonly clock: Clock;
  /**
   * Called before each request; defaults to the server name and port.
   * @throws Error without an address
   */
  readonly addressOf?: () => Address;
  /** Maximum bytes of a response; default 512 MiB. */
  readonly longestAnswer?: number;
  /** Maximum members of a response; default: any number. */
  readonly mostMembers?: number;
  /** Retries on a new connection if a keepalive connection is closed; for idempotent requests. */
  readonly repeats?: boolean;
  /** User agent; defaults to that of the server. */
  readonly userAgent?: string;
  /**
   * The server is another program: its responses nest no deeper than request bodies may, and what it repeats of the token
   * that it was shown is left out.
   */
  readonly isForeign?: boolean;
  /** How long a connection that nobody needs stays open; default 90 s, as of clients in Go. */
  readonly idleMs?: number;
  /** Numbers in responses keep all digits. */
  readonly exactNumbers?: boolean;
  /** Told of each request that has a response or failed. */
  readonly onSent?: (sent: SentRequest) => void;
}

/** A request that is over, and how. */
export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  /** undefined without a response. */
  readonly code: number | undefined;
  /** Until the response began. */
  readonly seconds: number;
}

interface Sending {
  readonly body: string | undefined;
  readonly agent: PacedAgent;
  readonly trace: Span['headers'];
}

const mebibyte = 1024 * 1024;
const longestAnswer = 512 * mebibyte;
const longestLine = 16 * mebibyte;

/** Node's `reusedSocket` says nothing of a request that waited for one. */
const usedSockets = new WeakSet<Socket>();

/** Idle time before TCP keepalive probes. */
const keepAliveMs = 30_000;
/** A webhook may be gone from the configuration for good. */
const defaultIdleMs = 90_000;

export class HttpsTransport implements ApiTransport {
  private access: ApiAccess;
  private readonly options: TransportOptions;
  private agent: PacedAgent;
  /** A separate agent for watches, which would otherwise use up the connections of requests. */
  private watchAgent: PacedAgent;

  constructor(access: ApiAccess, options: TransportOptions) {
    this.access = access;
    this.options = options;
    [this.agent, this.watchAgent] = agentsFor(access, options);
  }

  /** The current server. */
  get server(): URL {
    return this.access.server;
  }

  /** Uses another server and credentials for new requests; those in progress keep their connections. */
  use(access: ApiAccess): void {
    this.access = access;
    const retired = [this.agent, this.watchAgent];
    [this.agent, this.watchAgent] = agentsFor(access, this.options);
    retired.forEach(retire);
  }

  close(): void {
    this.agent.destroy();
    this.watchAgent.destroy();
  }

  async json(request: ApiRequest, signal: AbortSignal, longest = Infinity): Promise<JsonObject> {
    const response = await this.open(request, signal);
    const most = Math.min(longest, this.options.longestAnswer ?? longestAnswer);
    const { isForeign = false, exactNumbers = false, mostMembers = Infinity } = this.options;
    return jsonOf(response, most, {
      mostMembers,
      from: this.access.server.origin,
      ...(isForeign && { maxDepth: defaultLimits.maxDepth, secret: this.access.token }),
      isExact: exactNumbers,
    });
  }

  async *lines(request: ApiRequest, signal: AbortSignal): AsyncGenerator<JsonObject> {
    yield* linesOf(await this.open(request, signal, this.watchAgent), longestLine);
  }

  /** A step of the request that it is made for; the server may continue its trace. */
  private open(request: ApiRequest, signal: AbortSignal, agent = this.agent): Promise<IncomingMessage> {
    if (!currentSpan()) return this.ask(request, signal, agent);
    const { origin, hostname } = this.access.server;
    const attributes = {
      'http.request.method': request.method,
      'server.address': hostname,
      'url.full': `${origin}${request.path.split('?', 1)[0] ?? ''}`,
    };
    const ask = async (step: Span | undefined): Promise<IncomingMessage> => {
      const response = await this.ask(request, signal, agent, step?.headers);
      step?.set({ 'http.response.status_code': response.statusCode ?? 0 });
      return response;
    };
    return inStep(`HTTP ${request.method}`, ask, { kind: 'client', attributes });
  }

  private async ask(
    request: ApiRequest,
    signal: AbortSignal,
    agent: PacedAgent,
    trace: Span['headers'] = {},
  ): Promise<IncomingMessage> {
    const since = this.options.clock.monotonic();
    const made = bodyText(request);
    const body = made instanceof Promise ? await made : made;
    let code: number | undefined = undefined;
    try {
      // At most once per keepalive connection, as closed ones are dropped.
      for (;;) {
        const outcome = await this.send(request, { body, agent, trace }, signal);
        if (outcome === 'was closed') continue;
        code = outcome.statusCode;
        return outcome;
      }
    } finally {
      const seconds = (this.options.clock.monotonic() - since) / 1_000;
      const url = new URL(request.path, this.access.server);
      this.options.onSent?.({ method: request.method, url, code, seconds });
    }
  }

  private send(
    request: ApiRequest,
    { body, agent, trace }: Sending,
    signal: AbortSignal,
  ): Promise<IncomingMessage | 'was closed'> {
    const url = new URL(request.path, this.access.server);
    const target = this.options.addressOf?.();
    const servername = this.access.serverName ?? (target && url.hostname);
    const place = placeOf(url, target);
    return new Promise((resolve, reject) => {
      const send = (): void => {
        const sent = tlsRequest(url, {
          method: request.method,
          agent,
          signal,
          headers: { ...this.headers(request, body), ...trace, host: url.host },
          // The certificate is verified for the server name, regardless of the address.
          ...(target && { hostname: target.host, port: target.port }),
          ...(servername !== undefined && { servername }),
        });
        limitInformational(sent);
        agent.follow(sent, place);
        let wasUsed = false;
        sent.on('socket', (socket) => {
          wasUsed = usedSockets.has(socket);
          usedSockets.add(socket);
          // TCP keepalive detects a dead peer on connections that only wait for events.
          socket.setKeepAlive(true, keepAliveMs);
        });
        sent.on('response', resolve).on('error', (error: NodeJS.ErrnoException) => {
          if (this.options.repeats === true && wasUsed && error.code === 'ECONNRESET') resolve('was closed');
          else reject(error);
        });
        // For a response 101 (Switching Protocols) Node only emits close.
        sent.on('close', () => {
          reject(new Error('the connection was closed without an answer'));
        });
        sent.end(body);
      };
      Promise.resolve(agent.begin(place, signal, send)).catch(reject);
    });
  }

  private headers(request: ApiRequest, body: string | undefined): Record<string, string> {
    const { token } = this.access;
    return {
      ...contentHeaders(request, body),
      'user-agent': this.options.userAgent ?? 'orch-apiserver',
      ...(token !== '' && { authorization: `Bearer ${token}` }),
    };
  }
}

/** For requests and for watches. */
function agentsFor(
  access: ApiAccess,
  { clock, idleMs: timeout = defaultIdleMs }: TransportOptions,
): [PacedAgent, PacedAgent] {
  const identity = identityOf(access);
  const rejectUnauthorized = access.skipsVerification !== true;
  return [
    new PacedAgent(clock, identity, { keepAlive: true, timeout, rejectUnauthorized, maxSockets: 64 }),
    new PacedAgent(clock, identity, { keepAlive: true, timeout, rejectUnauthorized }),
  ];
}

function identityOf({ ca, cert, key }: ApiAccess): SecureContextOptions {
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

/** Where a connection leads, as Node names it. */
function placeOf({ hostname, port }: URL, target: Place | undefined): Place {
  // Node takes addresses of IPv6 without the brackets that they have in a URL.
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return target ?? { host, port: port === '' ? 443 : port };
}

/** Closes free connections and disables keepalive for others. */
function retire(agent: PacedAgent): void {
  agent.maxFreeSockets = 0;
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}
