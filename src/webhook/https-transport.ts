/** Requests to an API server: JSON over keepalive connections, failures as StatusError. */
import type { IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest, type AgentOptions as TlsAgentOptions } from 'node:https';
import { isObject, type JsonObject } from '../base/json.ts';
import { limitInformational } from '../base/http-response.ts';
import { decodeJson } from '../codec/decode-json.ts';
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
  /**
   * Called before each request; defaults to the server name and port.
   * @throws Error without an address
   */
  readonly addressOf?: () => Address;
  /** Maximum bytes of a response; default 512 MiB. */
  readonly longestAnswer?: number;
  /** Retries on a new connection if a keepalive connection is closed; for idempotent requests. */
  readonly repeats?: boolean;
  /** User agent; defaults to that of the server. */
  readonly userAgent?: string;
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

const mebibyte = 1024 * 1024;
const longestAnswer = 512 * mebibyte;
const longestLine = 16 * mebibyte;

/** Idle time before TCP keepalive probes. */
const keepAliveMs = 30_000;

export class HttpsTransport implements ApiTransport {
  private access: ApiAccess;
  private readonly options: TransportOptions;
  private agent: TlsAgent;
  /** A separate agent for watches, which would otherwise use up the connections of requests. */
  private watchAgent: TlsAgent;

  constructor(access: ApiAccess, options: TransportOptions = {}) {
    this.access = access;
    this.options = options;
    this.agent = new TlsAgent({ ...identityOf(access), maxSockets: 64 });
    this.watchAgent = new TlsAgent(identityOf(access));
  }

  /** The current server. */
  get server(): URL {
    return this.access.server;
  }

  /** Uses another server and credentials for new requests; those in progress keep their connections. */
  use(access: ApiAccess): void {
    this.access = access;
    const retired = [this.agent, this.watchAgent];
    this.agent = new TlsAgent({ ...identityOf(access), maxSockets: 64 });
    this.watchAgent = new TlsAgent(identityOf(access));
    retired.forEach(retire);
  }

  close(): void {
    this.agent.destroy();
    this.watchAgent.destroy();
  }

  async json(request: ApiRequest, signal: AbortSignal, longest = Infinity): Promise<JsonObject> {
    const response = await this.open(request, signal);
    const most = Math.min(longest, this.options.longestAnswer ?? longestAnswer);
    return this.options.exactNumbers === true ? jsonOf(response, most, exactly) : jsonOf(response, most);
  }

  async *lines(request: ApiRequest, signal: AbortSignal): AsyncGenerator<JsonObject> {
    yield* linesOf(await this.open(request, signal, this.watchAgent), longestLine);
  }

  private async open(request: ApiRequest, signal: AbortSignal, agent = this.agent): Promise<IncomingMessage> {
    const body = bodyText(request);
    const since = performance.now();
    let code: number | undefined = undefined;
    try {
      // At most once per keepalive connection, as closed ones are dropped.
      for (;;) {
        const outcome = await this.send(request, { body, agent }, signal);
        if (outcome === 'was closed') continue;
        code = outcome.statusCode;
        return outcome;
      }
    } finally {
      const seconds = (performance.now() - since) / 1_000;
      const url = new URL(request.path, this.access.server);
      this.options.onSent?.({ method: request.method, url, code, seconds });
    }
  }

  private send(
    request: ApiRequest,
    { body, agent }: { readonly body: string | undefined; readonly agent: TlsAgent },
    signal: AbortSignal,
  ): Promise<IncomingMessage | 'was closed'> {
    return new Promise((resolve, reject) => {
      const url = new URL(request.path, this.access.server);
      const sent = tlsRequest(url, {
        method: request.method,
        agent,
        signal,
        headers: { ...this.headers(request, body), host: url.host },
        ...this.target(url),
      });
      limitInformational(sent);
      // TCP keepalive detects a dead peer on connections that only wait for events.
      sent.on('socket', (socket) => socket.setKeepAlive(true, keepAliveMs));
      sent.on('response', resolve).on('error', (error: NodeJS.ErrnoException) => {
        if (this.options.repeats === true && sent.reusedSocket && error.code === 'ECONNRESET')
          resolve('was closed');
        else reject(error);
      });
      // For a response 101 (Switching Protocols) Node only emits close.
      sent.on('close', () => {
        reject(new Error('the connection was closed without an answer'));
      });
      sent.end(body);
    });
  }

  /** The certificate is verified for the server name, regardless of the address. */
  private target(url: URL): { hostname: string; port: number; servername: string } | undefined {
    const { host, port } = this.options.addressOf?.() ?? {};
    if (host === undefined || port === undefined) return undefined;
    return { hostname: host, port, servername: url.hostname };
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

function identityOf({ ca, cert, key }: ApiAccess): TlsAgentOptions {
  return { keepAlive: true, ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

/** Closes free connections and disables keepalive for others. */
function retire(agent: TlsAgent): void {
  agent.maxFreeSockets = 0;
  for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
}

/** With the limits of request bodies. */
function exactly(bytes: Buffer): JsonObject | undefined {
  try {
    const { value } = decodeJson(bytes);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
