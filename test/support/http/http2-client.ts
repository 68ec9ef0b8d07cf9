/** Node's client of HTTP/2, for whole answers and for streams. */
import {
  connect,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { SecureClientSessionOptions } from 'node:http2';

export interface StreamAnswer {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Code of RST_STREAM; 0 for a stream that ended well. */
  readonly resetCode: number;
}

/** Connects; errors of the connection are seen by its requests. */
export function connectHttp2(port: number, options: SecureClientSessionOptions): ClientHttp2Session {
  return connect(`https://127.0.0.1:${String(port)}`, options).on('error', () => undefined);
}

/** Sends a request and reads what comes until the stream is closed, well or not. */
export function askStream(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body?: string | Buffer,
): Promise<StreamAnswer> {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  return answerOf(stream);
}

/** Reads a stream to its end. */
export function answerOf(stream: ClientHttp2Stream): Promise<StreamAnswer> {
  return new Promise((resolve) => {
    let head: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    stream.on('response', (headers) => (head = headers));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', () => undefined);
    stream.on('close', () => {
      const text = Buffer.concat(chunks).toString();
      resolve({ code: Number(head[':status'] ?? 0), headers: head, text, resetCode: stream.rstCode });
    });
  });
}
