/** Requests to an API server: JSON in and out over kept connections, failures as StatusError. */
import type { IncomingMessage } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { isObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { StatusError } from '../../meta/status.ts';
import type { ApiAccess } from './kubeconfig.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query. */
  readonly path: string;
  readonly body?: JsonValue;
  readonly contentType?: string;
  readonly accept?: string;
}

const mebibyte = 1024 * 1024;
const longestAnswer = 512 * mebibyte;
const longestLine = 16 * mebibyte;

export class HttpsTransport {
  private readonly access: ApiAccess;
  private readonly agent: TlsAgent;

  constructor(access: ApiAccess) {
    this.access = access;
    const { ca, cert, key } = access;
    this.agent = new TlsAgent({
      keepAlive: true,
      maxSockets: 64,
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
    });
  }

  close(): void {
    this.agent.destroy();
  }

  /** One answer as JSON. @throws StatusError for answers of 400 and more */
  async json(ask: ApiRequest, signal: AbortSignal): Promise<JsonObject> {
    const response = await this.open(ask, signal);
    const text = await wholeText(response);
    const value = parse(text);
    if ((response.statusCode ?? 500) >= 400) throw asStatusError(response.statusCode ?? 500, value, text);
    return value ?? {};
  }

  /** The lines of a watch, each a JSON object. @throws StatusError when the watch is refused */
  async *lines(ask: ApiRequest, signal: AbortSignal): AsyncGenerator<JsonObject> {
    const response = await this.open(ask, signal);
    if ((response.statusCode ?? 500) >= 400) {
      const text = await wholeText(response);
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

  private open(ask: ApiRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const body = ask.body === undefined ? undefined : JSON.stringify(ask.body);
    return new Promise((resolve, reject) => {
      const sent = tlsRequest(new URL(ask.path, this.access.server), {
        method: ask.method,
        agent: this.agent,
        signal,
        headers: this.headers(ask, body),
      });
      sent.on('response', resolve).on('error', reject).end(body);
    });
  }

  private headers(ask: ApiRequest, body: string | undefined): Record<string, string> {
    const { token } = this.access;
    return {
      accept: ask.accept ?? 'application/json',
      'user-agent': 'orch-apiserver-controllers',
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && {
        'content-type': ask.contentType ?? 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
    };
  }
}

async function wholeText(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of response) {
    const bytes = part as Buffer;
    length += bytes.length;
    if (length > longestAnswer) throw new Error('the answer is longer than 512 MiB');
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8');
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

/** A Status body, or any other failure, as the error that callers know. */
export function asStatusError(code: number, status: JsonObject | undefined, text: string): StatusError {
  const { reason, message, details } = status ?? {};
  return new StatusError(
    code,
    typeof reason === 'string' ? reason : 'Unknown',
    typeof message === 'string' ? message : text.slice(0, 200),
    isObject(details) ? { details: details } : {},
  );
}
