/** Requests to an API server: JSON over keepalive connections, failures as StatusError. */
import type { IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest, type AgentOptions as TlsAgentOptions } from 'node:https';
import { isObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { SharedSlice } from '../base/cooperate.ts';
import { limitInformational, wholeBody } from '../base/http-response.ts';
import { decodeJson } from '../codec/decode-json.ts';
import { detailsOf } from '../meta/status-details.ts';
import { StatusError } from '../meta/status.ts';
import type { ApiAccess } from './kubeconfig-reader.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query. */
  readonly path: string;
  readonly body?: JsonValue;
  /** The body as JSON text, in place of `body`. */
  readonly text?: string;
  readonly contentType?: string;
  readonly accept?: string;
}

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
}

const mebibyte = 1024 * 1024;
const longestAnswer = 512 * mebibyte;
const longestLine = 16 * mebibyte;

/** Longer responses are parsed in turn, as many may end in one turn of the event loop. */
const shortAnswer = 16 * 1024;
const parsing = new SharedSlice();

/** Idle time before TCP keepalive probes. */
const keepAliveMs = 30_000;

export class HttpsTransport {
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

  /**
   * Sends a request and returns the JSON response. Redirects are failures, as credentials must not be forwarded.
   * @param longest maximum bytes of this response, if lower than the general limit
   * @throws StatusError for status codes from 300, LongAnswerError
   */
  async json(request: ApiRequest, signal: AbortSignal, longest = Infinity): Promise<JsonObject> {
    const response = await this.open(request, signal);
    const bytes = await wholeBody(response, Math.min(longest, this.options.longestAnswer ?? longestAnswer));
    if (bytes.length > shortAnswer) await parsing.yieldNow();
    const value = this.options.exactNumbers === true ? exactly(bytes) : parse(bytes.toString());
    if ((response.statusCode ?? 500) < 300) return value ?? {};
    throw asStatusError(response.statusCode ?? 500, value, bytes.toString());
  }

  /**
   * The lines of a watch, each a JSON object.
   * @throws StatusError for status codes from 300
   */
  async *lines(request: ApiRequest, signal: AbortSignal): AsyncGenerator<JsonObject> {
    const response = await this.open(request, signal, this.watchAgent);
    if ((response.statusCode ?? 500) >= 300) {
      const text = (await wholeBody(response, longestAnswer)).toString();
      throw asStatusError(response.statusCode ?? 500, parse(text), text);
    }
    let rest = '';
    response.setEncoding('utf8');
    for await (const chunk of response) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > longestLine) throw new Error('a watch event is longer than 16 MiB');
      for (const line of lines) {
        const value = parse(line);
        if (value) yield value;
      }
    }
  }

  private async open(request: ApiRequest, signal: AbortSignal, agent = this.agent): Promise<IncomingMessage> {
    const body = request.text ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
    // At most once per keepalive connection, as closed ones are dropped.
    for (;;) {
      const outcome = await this.send(request, { body, agent }, signal);
      if (outcome !== 'was closed') return outcome;
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
      accept: request.accept ?? 'application/json',
      'user-agent': this.options.userAgent ?? 'orch-apiserver',
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && {
        'content-type': request.contentType ?? 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
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

function parse(text: string): JsonObject | undefined {
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
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

/** Converts a Status body or any other failure to a StatusError. */
export function asStatusError(code: number, status: JsonObject | undefined, text: string): StatusError {
  const { reason, message, details } = status ?? {};
  return new StatusError(
    code,
    typeof reason === 'string' ? reason : 'Unknown',
    typeof message === 'string' ? message : text.slice(0, 200),
    isObject(details) ? { details: detailsOf(details) } : {},
  );
}
