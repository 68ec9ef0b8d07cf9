/** One keep-alive HTTPS connection on a raw TLS socket: far cheaper for the load generator than a client library. */
import { connect, type TLSSocket } from 'node:tls';

import { ResponseParser, type ParserEvents } from './response-parser.ts';

export interface Target {
  readonly port: number;
  readonly ca: string;
  /** Without them nobody is asked for on connecting. */
  readonly cert?: string;
  readonly key?: string;
  /** Goes with every request; absent: none does. */
  readonly token?: string;
}

const json = 'application/json';

export interface Response {
  readonly status: number;
  readonly bytes: number;
  /** When the first byte came, by `performance.now()`. */
  readonly firstByteAt: number;
}

export class HttpConnection {
  readonly #socket: TLSSocket;
  readonly #parser: ResponseParser;
  #firstByteAt = 0;
  #onResponse: ((response: Response) => void) | undefined;
  #onError: ((error: Error) => void) | undefined;

  private constructor(socket: TLSSocket, events: Omit<ParserEvents, 'onEnd'>) {
    this.#socket = socket;
    const onEnd = (status: number, bytes: number): void => this.#finish(status, bytes);
    this.#parser = new ResponseParser({ ...events, onEnd });
    socket.on('data', (chunk: Buffer) => {
      if (this.#firstByteAt === 0) this.#firstByteAt = performance.now();
      this.#parser.push(chunk);
    });
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the connection closed')));
  }

  /** Connects; `events` tell of heads and of pieces of bodies while they come. @throws when it cannot connect */
  static open(target: Target, events: Omit<ParserEvents, 'onEnd'> = {}): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ ...target, host: '127.0.0.1' }, () =>
        resolve(new HttpConnection(socket, events)),
      );
      socket.setNoDelay(true);
      socket.once('error', reject);
    });
  }

  /** Sends a whole request; one at a time. @throws when the connection breaks */
  send(request: Buffer): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#firstByteAt = 0;
      this.#onResponse = resolve;
      this.#onError = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#onError = undefined;
    this.#socket.destroy();
  }

  #finish(status: number, bytes: number): void {
    this.#onResponse?.({ status, bytes, firstByteAt: this.#firstByteAt });
  }

  #fail(error: Error): void {
    this.#onError?.(error);
  }
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: Buffer;
  /** Media types of the body and of the answer; JSON when absent. */
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
  readonly token?: string | undefined;
}

/** A request as it goes over the wire. */
export function encodeRequest(request: Request): Buffer {
  const { method, path, body, contentType = json, accept = json, token } = request;
  const who = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: ${accept}\r\n${who}`;
  if (body === undefined) return Buffer.from(`${head}\r\n`);
  const about = `Content-Type: ${contentType}\r\nContent-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head + about), body]);
}
