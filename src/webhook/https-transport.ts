/** Requests to an API server: JSON in and out over kept connections, failures as StatusError. */
import type { IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest, type AgentOptions as TlsAgentOptions } from 'node:https';
import { isObject, type JsonObject, type JsonValue } from '../base/json.ts';
import { limitInformational, wholeBody } from '../base/http-response.ts';
import { decodeJson } from '../codec/json.ts';
import { detailsOf } from '../meta/status-details.ts';
import { StatusError } from '../meta/status.ts';
import type { ApiAccess } from './kubeconfig-reader.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query. */
  readonly path: string;
  readonly body?: JsonValue;
  readonly contentType?: string;
  readonly accept?: string;
}

/** Where connections go to when the server's name is not where it is. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface TransportOptions {
  /** Asked before each request. Absent: the server's own name and port. @throws Error where there is no address */
  readonly addressOf?: () => Address;
  /** Bytes; longer answers are failures. Absent: 512 MiB. */
  readonly longestAnswer?: number;
  /** A kept connection that turns out to be closed costs another one, not the request: for questions that may come twice. */
  readonly repeats?: boolean;
  /** Who asks. Absent: the server. */
  readonly userAgent?: string;
  /** Numbers of answers keep all their digits. */
  readonly exactNumbers?: boolean;
}

const mebibyte = 1024 * 1024;
const longestAnswer = 512 * mebibyte;
const longestLine = 16 * mebibyte;

/** How long a connection may be silent before its peer is asked for a sign of life. */
const keepAliveMs = 30_000;

export class HttpsTransport {
  private access: ApiAccess;
  private readonly options: TransportOptions;
  private agent: TlsAgent;
  /** Watches hold their connection: within the bound of the others they would leave none for requests. */
  private watchAgent: TlsAgent;

  constructor(access: ApiAccess, options: TransportOptions = {}) {
    this.access = access;
    this.options = options;
    this.agent = new TlsAgent({ ...identityOf(access), maxSockets: 64 });
    this.watchAgent = new TlsAgent(identityOf(access));
  }

  /** Where requests go to now. */
  get server(): URL {
    return this.access.server;
  }

  /** New requests go there, as whoever this says; those under way end on the connections that they have. */
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
   * One answer as JSON. Redirects are failures: nobody is sent on with credentials.
   * @param longest bytes of this answer, where they are fewer than those of all
   * @throws StatusError for answers of 300 and more, LongAnswerError
   */
  async json(ask: ApiRequest, signal: AbortSignal, longest = Infinity): Promise<JsonObject> {
    const response = await this.open(ask, signal);
    const bytes = await wholeBody(response, Math.min(longest, this.options.longestAnswer ?? longestAnswer));
    const value = this.options.exactNumbers === true ? exactly(bytes) : parse(bytes.toString());
    if ((response.statusCode ?? 500) < 300) return value ?? {};
    throw asStatusError(response.statusCode ?? 500, value, bytes.toString());
  }

  /** The lines of a watch, each a JSON object. @throws StatusError for answers of 300 and more */
  async *lines(ask: ApiRequest, signal: AbortSignal): AsyncGenerator<JsonObject> {
    const response = await this.open(ask, signal, this.watchAgent);
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

  private async open(ask: ApiRequest, signal: AbortSignal, agent = this.agent): Promise<IncomingMessage> {
    const body = ask.body === undefined ? undefined : JSON.stringify(ask.body);
    // As many times as there are kept connections at most: those that are closed are kept no longer.
    for (;;) {
      const outcome = await this.send(ask, { body, agent }, signal);
      if (outcome !== 'was closed') return outcome;
    }
  }

  private send(
    ask: ApiRequest,
    { body, agent }: { readonly body: string | undefined; readonly agent: TlsAgent },
    signal: AbortSignal,
  ): Promise<IncomingMessage | 'was closed'> {
    return new Promise((resolve, reject) => {
      const url = new URL(ask.path, this.access.server);
      const sent = tlsRequest(url, {
        method: ask.method,
        agent,
        signal,
        headers: { ...this.headers(ask, body), host: url.host },
        ...this.target(url),
      });
      limitInformational(sent);
      // A peer that vanished is noticed on connections where nobody waits for anything but events.
      sent.on('socket', (socket) => socket.setKeepAlive(true, keepAliveMs));
      sent.on('response', resolve).on('error', (error: NodeJS.ErrnoException) => {
        if (this.options.repeats === true && sent.reusedSocket && error.code === 'ECONNRESET')
          resolve('was closed');
        else reject(error);
      });
      // Of an answer that switches protocols (101) Node says nothing but that the connection is closed.
      sent.on('close', () => {
        reject(new Error('the connection was closed without an answer'));
      });
      sent.end(body);
    });
  }

  /** The certificate is checked for the server's name, wherever the connection goes. */
  private target(url: URL): { hostname: string; port: number; servername: string } | undefined {
    const { host, port } = this.options.addressOf?.() ?? {};
    if (host === undefined || port === undefined) return undefined;
    return { hostname: host, port, servername: url.hostname };
  }

  private headers(ask: ApiRequest, body: string | undefined): Record<string, string> {
    const { token } = this.access;
    return {
      accept: ask.accept ?? 'application/json',
      'user-agent': this.options.userAgent ?? 'orch-apiserver',
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && {
        'content-type': ask.contentType ?? 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
    };
  }
}

function identityOf({ ca, cert, key }: ApiAccess): TlsAgentOptions {
  return { keepAlive: true, ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
}

/** Keeps no connection any more, neither those that are free nor those that will be. */
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

/** With the bounds that hold for bodies of requests. */
function exactly(bytes: Buffer): JsonObject | undefined {
  try {
    const { value } = decodeJson(bytes);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A Status body, or any other failure, as the error that callers know. */
export function asStatusError(code: number, status: JsonObject | undefined, text: string): StatusError {
  const { reason, message, details } = status ?? {};
  return new StatusError(
    code,
    typeof reason === 'string' ? reason : 'Unknown',
    typeof message === 'string' ? message : text.slice(0, 200),
    isObject(details) ? { details: detailsOf(details) } : {},
  );
}
