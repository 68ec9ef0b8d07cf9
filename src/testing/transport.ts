/** HTTPS to a control plane over kept connections. */
import type { Agent, AgentOptions, RequestOptions } from 'node:https';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { codeOf } from '../base/errors.ts';
import { unlessAborted } from '../base/pause.ts';
import { ApiError, type ApiStatus } from './api-error.ts';
import { later } from './later.ts';

export interface TransportOptions {
  /** `https://host:port` */
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly credentials: { readonly certificate: string; readonly key: string } | { readonly token: string };
  /** Absent: none is sent. */
  readonly userAgent?: string;
  /** Resolves when a server that went away is back: requests that did not reach it are sent again. Absent: they fail. */
  readonly recover?: () => Promise<void>;
}

export interface ApiRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body?: unknown;
  /** Of the body; default `application/json`. */
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

const requestMs = 60_000;
const mostTries = 4;

export class Transport {
  readonly url: string;
  readonly #agentOptions: AgentOptions;
  #agent: Agent | undefined;
  readonly #token: string | undefined;
  readonly #userAgent: string | undefined;
  readonly #recover: TransportOptions['recover'];

  constructor({ url, ca, credentials, userAgent, recover }: TransportOptions) {
    this.url = url;
    this.#recover = recover;
    this.#userAgent = userAgent;
    this.#token = 'token' in credentials ? credentials.token : undefined;
    const pair = 'token' in credentials ? {} : { cert: credentials.certificate, key: credentials.key };
    this.#agentOptions = { keepAlive: true, ca, ...pair };
  }

  /** Sends a request and reads the whole answer. @throws ApiError for answers from 400 on; Error of the connection */
  async send(asked: ApiRequest): Promise<unknown> {
    const response = await this.#open(asked, AbortSignal.timeout(requestMs));
    const text = await textOf(response);
    const isJson = response.headers['content-type']?.includes('json') === true;
    const value: unknown = isJson ? JSON.parse(text) : text;
    const { statusCode = 0 } = response;
    if (statusCode >= 400) throw new ApiError(`${asked.method} ${asked.path}`, statusOf(value, statusCode));
    return value;
  }

  /** Sends a request and gives the lines of the answer as they come. @throws as `send` */
  async *lines(asked: ApiRequest): AsyncGenerator<string, void> {
    const response = await this.#open(asked);
    const { statusCode = 0 } = response;
    if (statusCode >= 400) {
      const value: unknown = JSON.parse(await textOf(response));
      throw new ApiError(`${asked.method} ${asked.path}`, statusOf(value, statusCode));
    }
    let rest = '';
    try {
      for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        yield* lines.filter((line) => line !== '');
      }
    } finally {
      response.destroy();
    }
  }

  /** Ends idle connections. */
  close(): void {
    this.#agent?.destroy();
  }

  async #open(asked: ApiRequest, limit?: AbortSignal): Promise<IncomingMessage> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#send(asked, limit);
      } catch (error) {
        if (!(error instanceof NotReached) || this.#recover === undefined || tries === mostTries)
          throw error instanceof NotReached ? error.cause : error;
      }
      const ends = [asked.signal, limit].filter((each) => each !== undefined);
      await unlessAborted(this.#recover(), AbortSignal.any(ends));
    }
  }

  #send(asked: ApiRequest, limit?: AbortSignal): Promise<IncomingMessage> {
    const { method, path, body, contentType = 'application/json', signal } = asked;
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const signals = [signal, limit].filter((each) => each !== undefined);
    // Until the server has asked for the body, a write that loses its connection had no effect.
    const asksFirst = text !== undefined && method !== 'GET' && this.#recover !== undefined;
    this.#agent ??= new later.https.Agent(this.#agentOptions);
    const options: RequestOptions = {
      method,
      agent: this.#agent,
      headers: {
        accept: 'application/json',
        ...(this.#userAgent !== undefined && { 'user-agent': this.#userAgent }),
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
        ...(text !== undefined && { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }),
        ...(asksFirst && { expect: '100-continue' }),
      },
      ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
    };
    return exchange(later.https.request(`${this.url}${path}`, options), text, asksFirst);
  }
}

/** Sends the body, after the server has asked for it if `asksFirst`. @throws NotReached; Error of the connection */
function exchange(
  sent: ClientRequest,
  text: string | undefined,
  asksFirst: boolean,
): Promise<IncomingMessage> {
  let isBodySent = !asksFirst;
  let isSecured = false;
  const end = (): void => {
    isBodySent = true;
    sent.end(text);
  };
  return new Promise((resolve, reject) => {
    sent.on('response', (response) => {
      // The server wants no body: the connection cannot be used for another request.
      if (!isBodySent) response.once('close', () => sent.destroy());
      resolve(response);
    });
    sent.once('socket', (socket) => {
      // One that was kept has been secured before.
      isSecured = sent.reusedSocket;
      if (!isSecured) socket.once('secureConnect', () => (isSecured = true));
    });
    sent.on('error', (error) => {
      const isUnderWay = sent.method !== 'GET' && isBodySent && isSecured;
      reject(mayHaveEffect(error, isUnderWay) ? error : new NotReached(error));
    });
    if (asksFirst) sent.once('continue', end);
    else end();
  });
}

/** The request had no effect. */
class NotReached extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** A server that goes away may cut connections on which a write is under way, after it took effect or before. */
function mayHaveEffect(error: Error, isUnderWay: boolean): boolean {
  const code = codeOf(error);
  if (code === 'ECONNREFUSED') return false;
  return isUnderWay || (code !== 'ECONNRESET' && code !== 'EPIPE');
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
  return text;
}

function statusOf(value: unknown, code: number): ApiStatus {
  const given = typeof value === 'object' && value !== null ? (value as Partial<ApiStatus>) : {};
  return {
    ...{ kind: 'Status', status: 'Failure', reason: '' },
    message: typeof value === 'string' ? value : '',
    ...given,
    code,
  };
}
