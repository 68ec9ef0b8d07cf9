/**
 * A connection to one etcd member, as calls use it: unary calls and server streams with decoded messages. Over the
 * network it is `grpc-line.ts`; an etcd in memory, and the network of a simulation, implement it, too.
 */
import type { StreamMethod, UnaryMethod } from './etcd-messages.ts';

/** A server stream. */
export interface AnswerStream {
  /** No listener is called after this. */
  cancel(): void;
  /** Applies backpressure to the member. */
  pause(): void;
  resume(): void;
}

export interface AnswerListener<Response> {
  onAnswer(answer: Response): void;
  /** Called once when the stream ends without being cancelled; undefined if the member ended it without an error. */
  onEnd(error: Error | undefined): void;
}

export interface EtcdLine {
  /** A call on it counts as sent. */
  readonly isUp: boolean;
  /** Sends the token with each call from now on. */
  useToken(token: string): void;
  /**
   * Rejects with a GrpcError, or with an EtcdError `notSent` if the call was not sent.
   * @param maxBytes a larger response is rejected before it is received
   */
  call<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    timeoutMs: number,
    maxBytes?: number,
  ): Promise<Response>;
  /**
   * Opens a server stream that requires a leader: a member that loses its leader ends the stream instead of staying
   * silent.
   */
  stream<Request, Response>(
    method: StreamMethod<Request, Response>,
    request: Request,
    listener: AnswerListener<Response>,
  ): AnswerStream;
  /** Asks the member for a sign of life, without which the connection and its streams end. Absent where none can be frozen. */
  check?(): void;
  /** Calls in progress may finish within `graceMs`. */
  close(graceMs: number): void;
}

/**
 * Connects to the member at a URL with port.
 * @throws EtcdError `notSent`
 */
export type ConnectLine = (url: string, timeoutMs: number) => Promise<EtcdLine>;
