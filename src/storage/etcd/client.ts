/**
 * The etcd client. Every call has a deadline. A call that was not executed, or that is idempotent, is retried at the
 * next member until the deadline; a call that may have been executed is reported as unknown. There is no circuit
 * breaker: skipping a member that is down costs one check of its connection state.
 */
import type { Clock } from '../../base/clock.ts';
import { Backoff } from '../../base/backoff.ts';
import { pause } from '../../base/pause.ts';
import type { StorageMetrics, StorageOptions, StorageTimes } from '../options.ts';
import { Endpoint } from './etcd-endpoint.ts';
import { EtcdError, toEtcdError } from './etcd-error.ts';
import { FragmentJoiner } from './fragments.ts';
import type { GrpcLine } from './grpc-line.ts';
import type { CollectionId } from '../types.ts';
import type {
  HeaderResponse,
  Int64,
  LeaseGrantResponse,
  PutRequest,
  RangeRequest,
  RangeResponse,
  TxnRequest,
  TxnResponse,
  WatchRequest,
  WatchResponse,
} from './message-types.ts';
import {
  compactMethod,
  leaseGrantMethod,
  leaseKeepAliveMethod,
  leaseRevokeMethod,
  numberOf,
  putMethod,
  rangeMethod,
  statusMethod,
  txnMethod,
  watchMethod,
  type UnaryMethod,
} from './etcd-messages.ts';

export interface WatchListener {
  /** Receives events of complete revisions, by fragment. */
  onResponse(response: WatchResponse): void;
  /** Called once when the stream ends without being cancelled. */
  onEnd(etcdError: EtcdError): void;
}

export interface WatchStream {
  /** Stops the stream and prefers another member; drops the connection if it is considered dead. */
  distrust(isDead: boolean): void;
  cancel(): void;
  /** Applies backpressure to etcd. */
  pause(): void;
  resume(): void;
}

/** What a call is for. */
export interface CallPurpose {
  /** For metrics and errors; default: that of the method. */
  readonly operation?: string;
  /** The collection that it is about; absent if it is about several or none. */
  readonly collection?: CollectionId;
}

interface CallOptions extends CallPurpose {
  /** Default: that of all operations. */
  readonly timeoutMs?: number;
}

/** The retry policy of a call. */
interface CallPolicy extends CallPurpose {
  readonly operation: string;
  /** The call is idempotent. */
  readonly repeatable: boolean;
  readonly timeoutMs: number;
  /** Connection of the member to use; default `calls`. */
  readonly line?: 'calls' | 'pages';
  /** A larger response is rejected before it is received; absent if there is no limit. */
  readonly maxBytes?: number;
}

interface ClientDependencies {
  readonly options: StorageOptions;
  readonly times: StorageTimes;
  readonly clock: Clock;
}

export class EtcdClient {
  readonly #endpoints: readonly Endpoint[];
  readonly #metrics: StorageMetrics;
  readonly #times: StorageTimes;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #preferred: number;

  constructor({ options, times, clock }: ClientDependencies) {
    if (options.endpoints.length === 0) throw new Error('etcd: no endpoint given');
    this.#endpoints = options.endpoints.map(
      (url) => new Endpoint(url, { options, clock, attemptMs: times.attempt }),
    );
    this.#metrics = options.metrics;
    this.#times = times;
    this.#clock = clock;
    // Replicas start at random members to spread the load.
    this.#preferred = Math.floor(Math.random() * this.#endpoints.length);
  }

  /** @throws EtcdError when the deadline passes or etcd refuses */
  range(request: RangeRequest, options: CallOptions = {}): Promise<RangeResponse> {
    const defaults = { operation: 'range', repeatable: true, timeoutMs: this.#times.operation };
    return this.#call(rangeMethod, request, { ...defaults, ...options });
  }

  /**
   * One page of a large range. Not retried, as the caller should request less after a timeout.
   * @param maxBytes a longer answer is refused before it comes
   * @throws EtcdError, `tooLarge` for that
   */
  page(request: RangeRequest, maxBytes: number, purpose: CallPurpose = {}): Promise<RangeResponse> {
    const timeoutMs = this.#times.attempt;
    const policy = { operation: 'range', repeatable: true, timeoutMs, maxBytes, line: 'pages' } as const;
    return this.#call(rangeMethod, request, { ...policy, ...purpose });
  }

  /**
   * Sent once to a member that is up.
   * @throws EtcdError, of kind `unknown` if it may have been executed
   */
  txn(request: TxnRequest, options: CallOptions = {}): Promise<TxnResponse> {
    const defaults = { operation: 'txn', repeatable: false, timeoutMs: this.#times.operation };
    return this.#call(txnMethod, request, { ...defaults, ...options });
  }

  /**
   * For keys where a repeated put is harmless.
   * @throws EtcdError
   */
  put(request: PutRequest): Promise<HeaderResponse> {
    return this.#call(putMethod, request, {
      operation: 'put',
      repeatable: true,
      timeoutMs: this.#times.operation,
    });
  }

  /** @throws EtcdError, of kind `compacted` when that revision is already gone */
  compact(revision: number): Promise<HeaderResponse> {
    return this.#call(
      compactMethod,
      { revision },
      {
        operation: 'compact',
        repeatable: true,
        timeoutMs: this.#times.operation,
      },
    );
  }

  /**
   * Grants a lease, after which etcd deletes the keys that it holds. A repeated grant is harmless: a lease without
   * keys ends by itself.
   * @throws EtcdError
   */
  grantLease(seconds: number): Promise<LeaseGrantResponse> {
    const policy = { operation: 'lease', repeatable: true, timeoutMs: this.#times.operation };
    return this.#call(leaseGrantMethod, { TTL: seconds }, policy);
  }

  /** Renews a lease. Resolves with false if it has ended. @throws EtcdError */
  async keepLeaseAlive(lease: Int64): Promise<boolean> {
    const policy = { operation: 'lease', repeatable: true, timeoutMs: this.#times.operation };
    const { TTL } = await this.#call(leaseKeepAliveMethod, { ID: lease }, policy);
    return numberOf(TTL) > 0;
  }

  /** Ends a lease: etcd deletes the keys that it holds. @throws EtcdError, `leaseNotFound` if it has ended */
  async revokeLease(lease: Int64): Promise<void> {
    const policy = { operation: 'lease', repeatable: true, timeoutMs: this.#times.attempt };
    await this.#call(leaseRevokeMethod, { ID: lease }, policy);
  }

  /** Database size in bytes of each member that responds, by URL. */
  async databaseSizes(): Promise<ReadonlyMap<string, number>> {
    const sizes = new Map<string, number>();
    const ask = async (endpoint: Endpoint): Promise<void> => {
      const ms = this.#times.attempt;
      const line = endpoint.calls.line() ?? (await endpoint.calls.bringUp(ms));
      const { dbSize } = await line.call(statusMethod, {}, ms);
      sizes.set(endpoint.url, numberOf(dbSize));
    };
    await Promise.allSettled(this.#endpoints.map(ask));
    return sizes;
  }

  /** Opens a watch stream at the preferred member. @throws EtcdError `notSent` */
  async watch(request: WatchRequest, listener: WatchListener): Promise<WatchStream> {
    const endpoint = this.#current();
    try {
      const line = endpoint.watches.line() ?? (await endpoint.watches.bringUp(this.#times.attempt));
      const distrust = (isDead: boolean): void => {
        this.#suspect(endpoint);
        if (isDead) endpoint.watches.drop(line, 0);
      };
      return openStream({ line, request, listener, distrust });
    } catch (error) {
      this.#suspect(endpoint);
      throw toEtcdError(error, 'watch');
    }
  }

  /** Switches to another preferred member. */
  #suspect(endpoint: Endpoint): void {
    if (this.#current() === endpoint) this.#preferred = (this.#preferred + 1) % this.#endpoints.length;
  }

  close(): void {
    this.#closing.abort();
    for (const endpoint of this.#endpoints) endpoint.close();
  }

  async #call<Q, S>(method: UnaryMethod<Q, S>, request: Q, policy: CallPolicy): Promise<S> {
    const deadline = this.#clock.monotonic() + policy.timeoutMs;
    const backoff = new Backoff({ firstMs: 20, maxMs: 500 });
    for (let attempt = 1; ; attempt += 1) {
      const endpoint = this.#current();
      const left = deadline - this.#clock.monotonic();
      try {
        return await this.#attempt(endpoint, method, request, { ...policy, timeoutMs: left });
      } catch (error) {
        const etcdError = toEtcdError(error, policy.operation);
        if (etcdError.kind === 'notSent' || etcdError.kind === 'unknown') this.#suspect(endpoint);
        const isOver = this.#closing.signal.aborted || this.#clock.monotonic() >= deadline;
        if (isOver || !mayRepeat(etcdError, policy)) throw etcdError;
        if (attempt % this.#endpoints.length === 0) await this.#rest(backoff, deadline);
      }
    }
  }

  async #attempt<Q, S>(
    endpoint: Endpoint,
    method: UnaryMethod<Q, S>,
    request: Q,
    policy: CallPolicy,
  ): Promise<S> {
    const ms = Math.max(1, Math.min(this.#times.attempt, policy.timeoutMs));
    const slot = endpoint[policy.line ?? 'calls'];
    const line = slot.line() ?? (await slot.bringUp(ms));
    const start = this.#clock.monotonic();
    let isDone = false;
    try {
      const response = await line.call(method, request, ms, policy.maxBytes);
      isDone = true;
      return response;
    } catch (error) {
      throw this.#learn(error, policy, () => {
        slot.drop(line, this.#times.attempt);
      });
    } finally {
      const seconds = (this.#clock.monotonic() - start) / 1000;
      this.#metrics.observeEtcdRequest(policy.operation, seconds, isDone, policy.collection);
    }
  }

  /** Drops a connection after a timeout, as it may be dead, and after a rejected token. */
  #learn(error: unknown, policy: CallPolicy, drop: () => void): EtcdError {
    const etcdError = toEtcdError(error, policy.operation);
    if (etcdError.isLate || etcdError.kind === 'badToken') drop();
    return etcdError;
  }

  async #rest(backoff: Backoff, deadline: number): Promise<void> {
    const ms = Math.min(backoff.nextMs(), Math.max(0, deadline - this.#clock.monotonic()));
    await pause(ms, this.#closing.signal);
  }

  #current(): Endpoint {
    const endpoint = this.#endpoints[this.#preferred];
    if (endpoint === undefined) throw new Error('etcd: no endpoint given');
    return endpoint;
  }
}

function mayRepeat(etcdError: EtcdError, policy: CallPolicy): boolean {
  if (etcdError.kind === 'notSent' || etcdError.kind === 'badToken') return true;
  return etcdError.kind === 'unknown' && policy.repeatable;
}

interface StreamParts {
  readonly distrust: (isDead: boolean) => void;
  readonly line: GrpcLine;
  readonly request: WatchRequest;
  readonly listener: WatchListener;
}

function openStream({ line, request, listener, distrust }: StreamParts): WatchStream {
  const joiner = new FragmentJoiner();
  const fragmented = { create_request: { ...request.create_request, fragment: true } };
  const stream = line.stream(watchMethod, fragmented, {
    onAnswer: (response) => {
      const whole = joiner.join(response);
      if (whole !== undefined) listener.onResponse(whole);
    },
    onEnd: (error) => {
      const etcdError = toEtcdError(error ?? new EtcdError('unknown', 'etcd ended the stream'), 'watch');
      distrust(etcdError.kind === 'badToken');
      listener.onEnd(etcdError);
    },
  });
  return {
    ...stream,
    distrust: (isDead) => {
      stream.cancel();
      distrust(isDead);
    },
  };
}
