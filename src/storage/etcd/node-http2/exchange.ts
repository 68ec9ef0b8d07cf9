/** A request and its response on a session of Node's HTTP/2 module. */
import { constants, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';

import type { Exchange, StreamListener, StreamLoss, StreamRequest } from '../transport.ts';

/** Response headers that gRPC calls need. */
const asked = [':status', 'grpc-status', 'grpc-message'] as const;

export class NodeExchange implements Exchange {
  readonly request: StreamRequest;
  readonly #listener: StreamListener;
  readonly #onOver: () => void;
  #stream: ClientHttp2Stream | undefined;
  #isPaused = false;
  #hasStatus = false;
  #why: string | undefined;
  isOver = false;

  /** `onOver` is called once, before `onEnd` of the listener. */
  constructor(request: StreamRequest, listener: StreamListener, onOver: () => void) {
    this.request = request;
    this.#listener = listener;
    this.#onOver = onOver;
  }

  get isSent(): boolean {
    return this.#stream !== undefined;
  }

  /** Stream id; 0 until it is sent. */
  get id(): number {
    return this.#stream?.id ?? 0;
  }

  /** Sends the request on this stream; `onBytes` receives the number of received bytes. */
  begin(stream: ClientHttp2Stream, onBytes: (bytes: number) => void): void {
    this.#stream = stream;
    if (this.#isPaused) stream.pause();
    const onHeaders = (headers: IncomingHttpHeaders): void => {
      this.#hear(headers);
    };
    stream
      .on('response', onHeaders)
      .on('trailers', onHeaders)
      .on('data', (bytes: Buffer) => {
        onBytes(bytes.length);
        if (!this.isOver) this.#listener.onData(bytes);
      })
      .on('end', () => {
        // The stream closes some turns later; callers need not wait for it.
        if (this.#hasStatus) this.end(undefined);
      })
      .on('error', (error) => {
        this.#why = error.message;
      })
      .on('close', () => {
        this.#close(stream.rstCode);
      });
    const { body, isWhole } = this.request;
    if (isWhole) stream.end(body);
    else stream.write(body);
  }

  /** Calls the listener once. */
  end(loss: StreamLoss | undefined, why?: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#onOver();
    this.#listener.onEnd(loss, why);
  }

  cancel(): void {
    if (this.isOver) return;
    this.isOver = true;
    const stream = this.#stream;
    // Further data is discarded, so that the connection window does not shrink.
    stream?.resume();
    if (stream?.closed === false) stream.close(constants.NGHTTP2_CANCEL);
    this.#onOver();
  }

  pause(): void {
    this.#isPaused = true;
    this.#stream?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#stream?.resume();
  }

  #hear(headers: IncomingHttpHeaders): void {
    if (this.isOver) return;
    const fields = new Map<string, string>();
    for (const name of asked) {
      const value = headers[name];
      if (value !== undefined) fields.set(name, String(value));
    }
    this.#hasStatus ||= fields.has('grpc-status');
    this.#listener.onHeaders(fields);
  }

  #close(code: number | undefined): void {
    if (code === constants.NGHTTP2_NO_ERROR) this.end(undefined);
    else this.end(code === constants.NGHTTP2_REFUSED_STREAM ? 'refused' : 'lost', this.#why);
  }
}
