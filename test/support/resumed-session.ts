/** TLS sessions of clients: made by one connection, resumed by the next. */
import { connect, type ConnectionOptions } from 'node:tls';
import { within } from './wait-for.ts';

export interface SessionAnswer {
  /** Status line and headers and body, as they came. */
  readonly text: string;
  readonly status: number;
  readonly isResumed: boolean;
  /** What the next connection may offer. */
  readonly session: Buffer | undefined;
}

/** One GET over one connection, which ends with the answer. */
export function sendReviewOnce(
  target: ConnectionOptions,
  path: string,
  headers: readonly string[] = [],
): Promise<SessionAnswer> {
  const answered = new Promise<SessionAnswer>((resolve, reject) => {
    let text = '';
    let session: Buffer | undefined;
    let isResumed = false;
    const socket = connect({ host: '127.0.0.1', ...target }, () => (isResumed = socket.isSessionReused()));
    socket.on('session', (given) => (session = given)).on('error', reject);
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('close', () => {
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
      resolve({ text, status, isResumed, session });
    });
    const head = [`GET ${path} HTTP/1.1`, 'Host: api', 'Connection: close', ...headers];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
  });
  return within('an answer', 10_000, answered);
}
