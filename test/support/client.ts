/** A small HTTPS client of the API for tests: requests, and watches as streams of events. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';

import type { ApiList, ApiObject } from './api-object.ts';
import { EventStream } from './watch-stream.ts';

export type { ApiList, ApiObject, WatchEvent } from './api-object.ts';
export { EventStream } from './watch-stream.ts';

export interface ClientOptions {
  /** `https://127.0.0.1:port` */
  readonly url: string;
  readonly ca: string;
  /** Client certificate and key (PEM); none: without credentials. */
  readonly cert?: string;
  readonly key?: string;
  /** Bearer token. */
  readonly token?: string;
  /** Milliseconds until an answer must have begun; default 30 s. */
  readonly timeout?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  /** The body as an object of the API. @throws SyntaxError */
  json(): ApiObject;
}

export type RequestBody = string | Buffer | object;

export class ApiClient {
  readonly #options: ClientOptions;
  readonly #agent: Agent;
  readonly #streams = new Set<EventStream>();

  constructor(options: ClientOptions) {
    this.#options = options;
    const { ca, cert, key } = options;
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: 256,
      ca,
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    });
  }

  /** Sends a request; objects go as JSON. Any status is an answer. @throws when the connection breaks or time is up */
  async request(
    method: string,
    path: string,
    body?: RequestBody,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return collect(await this.open(method, path, body, headers));
  }

  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.request('GET', path, undefined, headers);
  }

  post(path: string, body: RequestBody, headers?: Record<string, string>): Promise<Answer> {
    return this.request('POST', path, body, headers);
  }

  put(path: string, body: RequestBody, headers?: Record<string, string>): Promise<Answer> {
    return this.request('PUT', path, body, headers);
  }

  /** `kind` of patch: `json`, `merge`, `strategic-merge` or `apply`. */
  patch(path: string, kind: string, body: RequestBody): Promise<Answer> {
    const type = kind === 'apply' ? 'application/apply-patch+yaml' : `application/${kind}-patch+json`;
    return this.request('PATCH', path, body, { 'content-type': type });
  }

  delete(path: string, body?: RequestBody): Promise<Answer> {
    return this.request('DELETE', path, body);
  }

  /** A request that must answer 2xx; gives the object. @throws Error with the body otherwise */
  async ok(method: string, path: string, body?: RequestBody): Promise<ApiObject> {
    const answer = await this.request(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    return answer.json();
  }

  /**
   * Creates an object that the replica's own view holds from then on. An answer to a creation says no more than that it
   * is stored; admission and others that look at the view see it later. @throws Error with the body when it is refused
   */
  async createSeen(path: string, body: RequestBody): Promise<ApiObject> {
    const made = await this.ok('POST', path, body);
    // A fresh read waits until the view holds all that was stored before it.
    return this.ok('GET', `${path}/${made.metadata.name}`);
  }

  /** A list that must be answered with 200. */
  async list(path: string): Promise<ApiList> {
    return (await this.ok('GET', path)) as unknown as ApiList;
  }

  /**
   * Opens a watch; `path` carries everything except `watch=true`.
   * @throws Error with the body when the answer is not 200
   */
  async watch(path: string): Promise<EventStream> {
    const response = await this.open('GET', `${path}${path.includes('?') ? '&' : '?'}watch=true`);
    if (response.statusCode !== 200) {
      const answer = await collect(response);
      throw new WatchRefused(answer.status, answer.text);
    }
    const stream = new EventStream(response, () => this.#streams.delete(stream));
    this.#streams.add(stream);
    return stream;
  }

  /** Sends a request and resolves when the head of the answer is there; the caller reads or destroys the response. */
  open(
    method: string,
    path: string,
    body?: RequestBody,
    headers: Record<string, string> = {},
  ): Promise<IncomingMessage> {
    const bytes = encode(body);
    const { url, token, timeout = 30_000 } = this.#options;
    return new Promise((resolve, reject) => {
      const outgoing = request(`${url}${path}`, {
        method,
        agent: this.#agent,
        headers: {
          ...(bytes === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': bytes.length }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
      });
      const timer = setTimeout(() => outgoing.destroy(new Error(`${method} ${path}: no answer`)), timeout);
      outgoing.once('response', resolve);
      outgoing.once('error', reject);
      outgoing.once('close', () => {
        clearTimeout(timer);
        reject(new Error(`${method} ${path}: the connection closed`));
      });
      outgoing.once('response', () => {
        clearTimeout(timer);
      });
      outgoing.end(bytes);
    });
  }

  /** Ends watches and connections; idempotent. */
  close(): void {
    for (const stream of this.#streams) stream.close();
    this.#agent.destroy();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** A watch that was answered with an error instead of a stream. */
export class WatchRefused extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(`the watch was answered ${status}: ${text}`);
    this.status = status;
  }
}

async function collect(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const text = body.toString('utf8');
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body,
    text,
    json: () => JSON.parse(text) as ApiObject,
  };
}

function encode(body: RequestBody | undefined): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
