/**
 * The seam below calls of gRPC: a connection of HTTP/2 (RFC 9113) to one member of etcd. `http2/` implements it, and
 * `node-http2/` over Node's own module.
 */
import type { EtcdTls } from '../options.ts';

export type Field = readonly [name: string, value: string];

/** Fields in their order; the peer may log all of them but `secret`. */
export interface RequestHead {
  readonly path: string;
  /** What may differ from call to call. */
  readonly changing: Field;
  /** A field whose value nobody may keep. */
  readonly secret?: Field | undefined;
}

/** Headers or trailers of an answer: names in lower case, with their last value. */
export type HeaderFields = ReadonlyMap<string, string>;

/** How often a peer is asked for a sign of life, and how long that may take. */
export interface KeepAliveTimes {
  readonly everyMs: number;
  readonly timeoutMs: number;
}

export interface TransportOptions {
  readonly tls: EtcdTls | undefined;
  /** Headers that all requests have. */
  readonly headers: readonly Field[];
  /** Of a connection with streams; absent: silence is taken for nothing to say. */
  readonly keepAlive?: KeepAliveTimes;
}

/** What was sent of a request whose answer did not come. */
export type StreamLoss =
  /** Nothing that the peer looked at (RFC 9113, section 8.7). */
  | 'refused'
  /** Perhaps all: the stream was reset, or the connection is gone. */
  | 'lost';

/** Hears of an answer, in the order in which it comes. */
export interface StreamListener {
  /** Headers, and behind all data the trailers. */
  onHeaders(fields: HeaderFields): void;
  /** A view into what arrived: copy what is kept. */
  onData(bytes: Buffer): void;
  /** Once and last; undefined: the answer is whole, else `why` may tell more. Not when the stream was cancelled. */
  onEnd(loss: StreamLoss | undefined, why?: string): void;
}

/** What is to be sent. */
export interface StreamRequest {
  readonly head: RequestHead;
  readonly body: Buffer;
  /** Nothing follows the body. */
  readonly isWhole: boolean;
  /** Leaves at once; else with all that is asked for in this turn of the loop. */
  readonly isUrgent: boolean;
}

/** One request and its answer. */
export interface Exchange {
  /** False while it waits for the peer to take one more. */
  readonly isSent: boolean;
  /** The listener hears nothing more, and the peer is told. */
  cancel(): void;
  /** Hands nothing over from now on; the peer goes on until its window is used up. */
  pause(): void;
  resume(): void;
}

export interface Transport {
  /** What is sent on it may be taken for sent. */
  readonly isUp: boolean;
  /** Begins a request; on a connection that is not up it ends as `refused`, before this returns. */
  open(request: StreamRequest, listener: StreamListener): Exchange;
  /** Takes nothing more; requests under way may finish, for as long as `graceMs`. */
  close(graceMs: number): void;
}

/** Resolves when the peer has spoken HTTP/2. @throws Error that says why it has not in time */
export type ConnectTransport = (
  address: URL,
  options: TransportOptions,
  timeoutMs: number,
) => Promise<Transport>;
