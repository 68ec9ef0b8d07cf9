/**
 * The transport interface of gRPC calls: an HTTP/2 connection (RFC 9113) to an etcd member. Implemented by `http2/`,
 * and by `node-http2/` over node:http2.
 */
import type { EtcdTls } from '../options.ts';

export type Field = readonly [name: string, value: string];

/** Header fields in order; all but `secret` may be indexed. */
export interface RequestHead {
  readonly path: string;
  /** The field that differs between calls. */
  readonly changing: Field;
  /** A field that must never be indexed (RFC 7541, section 7.1). */
  readonly secret?: Field | undefined;
}

/** Headers or trailers of a response: lower-case names with their last value. */
export type HeaderFields = ReadonlyMap<string, string>;

/** Interval and timeout of keepalive pings. */
export interface KeepAliveTimes {
  readonly everyMs: number;
  readonly timeoutMs: number;
}

export interface TransportOptions {
  readonly tls: EtcdTls | undefined;
  /** Headers of all requests. */
  readonly headers: readonly Field[];
  /** For connections with open streams; absent if there are no pings. */
  readonly keepAlive?: KeepAliveTimes;
}

/** Whether a request without a response may have been processed. */
export type StreamLoss =
  /** Not processed by the peer (RFC 9113, section 8.7). */
  | 'refused'
  /** Perhaps all: the stream was reset, or the connection is gone. */
  | 'lost';

/** Listener of a response. */
export interface StreamListener {
  /** Called for headers, and for trailers after all data. */
  onHeaders(fields: HeaderFields): void;
  /** A view into the received data: copy what is kept. */
  onData(bytes: Buffer): void;
  /**
   * Called once at the end, unless the stream was cancelled; undefined if the response is complete, otherwise `why`
   * may give the reason.
   */
  onEnd(loss: StreamLoss | undefined, why?: string): void;
}

/** A request. */
export interface StreamRequest {
  readonly head: RequestHead;
  readonly body: Buffer;
  /** The body ends the stream. */
  readonly isWhole: boolean;
  /** Sent at once; otherwise batched with the other calls of this turn of the event loop. */
  readonly isUrgent: boolean;
}

/** A request and its response. */
export interface Exchange {
  /** False while it waits for the concurrency limit of the peer. */
  readonly isSent: boolean;
  /** Resets the stream; the listener is not called again. */
  cancel(): void;
  /** Stops delivery; the peer can send until its window is used up. */
  pause(): void;
  resume(): void;
}

export interface Transport {
  /** A request on it counts as sent. */
  readonly isUp: boolean;
  /** Starts a request. If the connection is not up, the request ends as `refused` before this returns. */
  open(request: StreamRequest, listener: StreamListener): Exchange;
  /** Asks the peer for a sign of life, without which the connection ends; for those with keepalive. */
  check(): void;
  /** Accepts no further requests; open ones may finish within `graceMs`. */
  close(graceMs: number): void;
}

/**
 * Resolves when the peer's SETTINGS are received.
 * @throws Error if that fails or times out
 */
export type ConnectTransport = (
  address: URL,
  options: TransportOptions,
  timeoutMs: number,
) => Promise<Transport>;
