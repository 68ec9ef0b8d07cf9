/** An HTTP/2 connection to an etcd member for gRPC calls (gRPC over HTTP2): unary calls and server streams. */
import type { Clock, Timer } from '../../base/clock.ts';
import type { EtcdTls, TransportName } from '../options.ts';
import { EtcdError } from './etcd-error.ts';
import type { AnswerListener, AnswerStream, EtcdLine } from './etcd-line.ts';
import { framed, MessageReader, mostMessageBytes } from './grpc-message.ts';
import { GrpcError, grpcCode, statusOf, type GrpcStatus } from './grpc-status.ts';
import type { StreamMethod, UnaryMethod } from './etcd-messages.ts';
import type {
  Exchange,
  Field,
  HeaderFields,
  KeepAliveTimes,
  RequestHead,
  StreamListener,
  StreamLoss,
  Transport,
} from './transport.ts';
import { connectorOf } from './transports.ts';

export interface LineOptions {
  readonly clock: Clock;
  readonly tls: EtcdTls | undefined;
  /** HTTP/2 implementation; default `builtin`. */
  readonly transport?: TransportName | undefined;
  /** Keepalive pings while calls are in progress; the connection is closed if they are not answered. */
  readonly keepAlive?: KeepAliveTimes;
}

const constantHeaders = [
  ['te', 'trailers'],
  ['content-type', 'application/grpc'],
] as const;

export class GrpcLine implements EtcdLine {
  readonly #transport: Transport;
  readonly #clock: Clock;
  #token: RequestHead['secret'];

  private constructor(transport: Transport, clock: Clock) {
    this.#transport = transport;
    this.#clock = clock;
  }

  /**
   * Resolves when the HTTP/2 connection is established.
   * @throws EtcdError `notSent`
   */
  static async connect(url: string, options: LineOptions, timeoutMs: number): Promise<GrpcLine> {
    try {
      const all = { ...options, headers: constantHeaders };
      const connect = connectorOf(options.transport);
      return new GrpcLine(await connect(new URL(url), all, timeoutMs), options.clock);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new EtcdError('notSent', `etcd at ${url} cannot be reached: ${why}`, error);
    }
  }

  /** A call on it counts as sent. */
  get isUp(): boolean {
    return this.#transport.isUp;
  }

  check(): void {
    this.#transport.check();
  }

  /** Sends the token with each call from now on. */
  useToken(token: string): void {
    this.#token = ['token', token];
  }

  /**
   * Rejects with a GrpcError, or with an EtcdError `notSent` if the call was not sent.
   * @param maxBytes a larger response is rejected before it is received
   */
  call<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    timeoutMs: number,
    maxBytes = mostMessageBytes,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      const call = new UnaryCall({ clock: this.#clock, decode: method.decode, maxBytes }, resolve, reject);
      // etcd applies the same deadline.
      const head = this.#head(method.path, ['grpc-timeout', `${Math.ceil(timeoutMs)}m`]);
      const body = framed(method.encode(request));
      call.run(
        this.#transport.open({ head, body, isWhole: true, isUrgent: method.isUrgent === true }, call),
        timeoutMs,
      );
    });
  }

  /**
   * Opens a server stream that requires a leader: a member that loses its leader ends the stream instead of staying
   * silent.
   */
  stream<Request, Response>(
    method: StreamMethod<Request, Response>,
    request: Request,
    listener: AnswerListener<Response>,
  ): AnswerStream {
    const head = this.#head(method.path, ['hasleader', 'true']);
    const answers = new AnswerReader(method.decode, listener);
    const body = framed(method.encode(request));
    const stream = this.#transport.open({ head, body, isWhole: false, isUrgent: true }, answers);
    const cancel = (): void => {
      answers.isOver = true;
      stream.cancel();
    };
    answers.cancel = cancel;
    return {
      cancel,
      pause: () => {
        stream.pause();
      },
      resume: () => {
        stream.resume();
      },
    };
  }

  /** Calls in progress may finish within `graceMs`. */
  close(graceMs: number): void {
    this.#transport.close(graceMs);
  }

  #head(path: string, changing: Field): RequestHead {
    return { path, changing, secret: this.#token };
  }
}

interface UnaryCallOptions<Response> {
  readonly clock: Clock;
  readonly decode: (bytes: Buffer) => Response;
  readonly maxBytes: number;
}

/** Reads the response of a unary call. */
class UnaryCall<Response> implements StreamListener {
  readonly #clock: Clock;
  readonly #decode: (bytes: Buffer) => Response;
  readonly #maxBytes: number;
  readonly #resolve: (answer: Response) => void;
  readonly #reject: (error: Error) => void;
  readonly #reader = new MessageReader();
  #status: GrpcStatus | undefined;
  #stream: Exchange | undefined;
  #timer: Timer | undefined;
  #isOver = false;

  constructor(
    { clock, decode, maxBytes }: UnaryCallOptions<Response>,
    resolve: (answer: Response) => void,
    reject: (error: Error) => void,
  ) {
    this.#clock = clock;
    this.#decode = decode;
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Sets the deadline of the call on the stream. */
  run(stream: Exchange, timeoutMs: number): void {
    if (this.#isOver) return;
    this.#stream = stream;
    this.#timer = this.#clock.setTimeout(() => {
      stream.cancel();
      this.#fail(stream.isSent ? tooLate() : tooMany());
    }, timeoutMs);
  }

  onHeaders(fields: HeaderFields): void {
    this.#status ??= statusOf(fields);
  }

  onData(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#reader.take(bytes);
    if (this.#reader.isBroken || this.#reader.hasSurplus) this.#giveUp(noMessage());
    else if (this.#reader.announced > this.#maxBytes)
      this.#giveUp(tooLarge(this.#reader.announced, this.#maxBytes));
  }

  #giveUp(error: Error): void {
    this.#stream?.cancel();
    this.#fail(error);
  }

  onEnd(loss: StreamLoss | undefined, why?: string): void {
    if (this.#isOver) return;
    const status = this.#status;
    if (status === undefined) this.#fail(lossError(loss ?? 'lost', why));
    else if (status.code !== grpcCode.ok) this.#fail(new GrpcError(status.code, status.details));
    else this.#answer();
  }

  #answer(): void {
    const message = this.#reader.only();
    if (message === undefined) {
      this.#fail(new GrpcError(grpcCode.unavailable, 'etcd sent no whole message'));
      return;
    }
    this.#finish();
    try {
      this.#resolve(this.#decode(message));
    } catch (error) {
      this.#reject(undecodable(error));
    }
  }

  #fail(error: Error): void {
    this.#finish();
    this.#reject(error);
  }

  #finish(): void {
    this.#isOver = true;
    this.#clock.clear(this.#timer);
  }
}

/** Reads the messages of a server stream. */
class AnswerReader<Response> implements StreamListener {
  readonly #decode: (bytes: Buffer) => Response;
  readonly #listener: AnswerListener<Response>;
  readonly #reader = new MessageReader();
  #status: GrpcStatus | undefined;
  isOver = false;
  /** Set once the stream is open. */
  cancel: () => void = () => undefined;

  constructor(decode: (bytes: Buffer) => Response, listener: AnswerListener<Response>) {
    this.#decode = decode;
    this.#listener = listener;
  }

  onHeaders(fields: HeaderFields): void {
    this.#status ??= statusOf(fields);
  }

  onData(bytes: Buffer): void {
    if (this.isOver) return;
    this.#reader.take(bytes);
    for (let message = this.#next(); message !== undefined; message = this.#next()) {
      const answer = this.#decoded(message);
      if (answer instanceof GrpcError) {
        this.#end(answer);
        return;
      }
      this.#listener.onAnswer(answer);
    }
    if (this.#reader.isBroken) this.#end(noMessage());
    else if (this.#reader.announced > mostMessageBytes)
      this.#end(tooLarge(this.#reader.announced, mostMessageBytes));
  }

  onEnd(loss: StreamLoss | undefined, why?: string): void {
    const status = this.#status;
    if (status === undefined) this.#end(lossError(loss ?? 'lost', why));
    else this.#end(status.code === grpcCode.ok ? undefined : new GrpcError(status.code, status.details));
  }

  /** Runs in the handler of an event of the connection: what throws there ends the process. */
  #decoded(message: Buffer): Response | GrpcError {
    try {
      return this.#decode(message);
    } catch (error) {
      return undecodable(error);
    }
  }

  /** The listener of a message may cancel the stream. */
  #next(): Buffer | undefined {
    return this.isOver ? undefined : this.#reader.next();
  }

  #end(error: Error | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    this.cancel();
    this.#listener.onEnd(error);
  }
}

function tooLate(): GrpcError {
  return new GrpcError(grpcCode.deadlineExceeded, 'Deadline exceeded');
}

/** The same message as other gRPC clients. */
function tooLarge(bytes: number, max: number): GrpcError {
  const details = `received message larger than max (${String(bytes)} vs. ${String(max)})`;
  return new GrpcError(grpcCode.resourceExhausted, details);
}

/** The connection is healthy, but the call was not sent. */
function tooMany(): EtcdError {
  return new EtcdError('notSent', 'etcd takes no more calls at once');
}

/** Refused streams were not processed; all others may have been. */
function lossError(loss: StreamLoss, why: string | undefined): Error {
  if (loss === 'refused') return new EtcdError('notSent', 'the connection to etcd takes no call');
  const because = why === undefined ? '' : ` (${why})`;
  return new GrpcError(grpcCode.unavailable, `the connection to etcd was lost${because}`);
}

function undecodable(error: unknown): GrpcError {
  return new GrpcError(grpcCode.unavailable, `etcd sent what is no message: ${String(error)}`);
}

function noMessage(): GrpcError {
  return new GrpcError(grpcCode.unavailable, 'etcd sent no message');
}
