/** Calls to a KMS plugin over gRPC on a unix socket: one connection, opened on demand. */
import type { Clock } from '../../base/clock.ts';
import { shortText } from '../../base/short-text.ts';
import { EtcdError } from '../etcd/etcd-error.ts';
import type { UnaryMethod } from '../etcd/etcd-messages.ts';
import { GrpcLine } from '../etcd/grpc-line.ts';
import { GrpcError, grpcCode } from '../etcd/grpc-status.ts';

/** An error of a call. What a plugin says is cut short, as it is told of each value. */
export class KmsError extends Error {
  /** The plugin was not reached, or did not answer in time: another call may succeed later. */
  readonly isUnavailable: boolean;

  constructor(message: string, isUnavailable: boolean) {
    super(shortText(message));
    this.name = 'KmsError';
    this.isUnavailable = isUnavailable;
  }
}

/** Values that are written now could never be read again. */
export class GarbledKeyError extends KmsError {
  constructor() {
    super('the plugin decrypts something else than it encrypted, so nothing is encrypted with it', false);
  }
}

/** More than any answer needs: keys of v1 have at most 64 KiB, and annotations of v2 32 KiB. */
const maxAnswerBytes = 256 * 1024;

export interface KmsEndpoint {
  /** Name of the provider, for errors. */
  readonly name: string;
  /** `unix:///path`. */
  readonly endpoint: string;
  /** Of a call, with its connection. */
  readonly timeoutMs: number;
}

export class KmsConnection {
  readonly #to: KmsEndpoint;
  readonly #clock: Clock;
  #line: Promise<GrpcLine> | undefined;
  #isClosed = false;

  constructor(to: KmsEndpoint, clock: Clock) {
    this.#to = to;
    this.#clock = clock;
  }

  /** @throws KmsError */
  async call<Request, Response>(method: UnaryMethod<Request, Response>, request: Request): Promise<Response> {
    const { timeoutMs } = this.#to;
    const until = this.#clock.monotonic() + timeoutMs;
    try {
      const line = await this.#connected();
      return await line.call(method, request, Math.max(1, until - this.#clock.monotonic()), maxAnswerBytes);
    } catch (error) {
      throw this.#kmsError(error);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  async #connected(): Promise<GrpcLine> {
    if (this.#isClosed) throw new KmsError('the connection is closed', true);
    const known = await this.#line?.catch(() => undefined);
    if (known?.isUp === true) return known;
    const url = `unix://localhost${new URL(this.#to.endpoint).pathname}`;
    return (this.#line = GrpcLine.connect(url, { clock: this.#clock, tls: undefined }, this.#to.timeoutMs));
  }

  #drop(): void {
    const line = this.#line;
    this.#line = undefined;
    line?.then(
      (open) => open.close(0),
      () => undefined,
    );
  }

  /** Codes of a plugin that answered are its own; the others end the connection. */
  #kmsError(error: unknown): KmsError {
    if (error instanceof KmsError) return error;
    const { name } = this.#to;
    const isGone =
      error instanceof EtcdError ||
      (error instanceof GrpcError &&
        [grpcCode.deadlineExceeded, grpcCode.unavailable].some((code) => code === error.code));
    if (!isGone) return new KmsError(`KMS provider ${name}: ${(error as Error).message}`, false);
    this.#drop();
    const isLate = error instanceof GrpcError && error.code === grpcCode.deadlineExceeded;
    return new KmsError(
      `KMS provider ${name} ${isLate ? 'did not answer in time' : 'cannot be reached'}`,
      true,
    );
  }
}
