/**
 * The etcd client. Every call has a deadline. A call that was not executed, or that is idempotent, is retried at
 * another member until the deadline; a call that may have been executed is reported as unknown. There is no circuit
 * breaker: skipping a member that is down costs one check of its connection state.
 */
import { Backoff } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { Environment } from '../../base/environment.ts';
import type { Random } from '../../base/random.ts';
import { pause } from '../../base/pause.ts';
import { currentSpan, inStep, type StepDetails } from '../../base/span.ts';
import type { EtcdTls, StorageMetrics, StorageOptions, StorageTimes } from '../options.ts';
import { Endpoint } from './etcd-endpoint.ts';
import { EtcdError, isLearnerRefusal, toEtcdError, withoutTokens } from './etcd-error.ts';
import type { Revision } from '../types.ts';
import { KnownPast, textOf, type SentAt } from './known-past.ts';
import { Members } from './members.ts';
import { openStream, type StreamParts, type WatchListener, type WatchStream } from './watch-stream.ts';
import type { CollectionId } from '../types.ts';
import type {
  DeleteRangeResponse,
  HeaderResponse,
  Int64,
  LeaseGrantResponse,
  PutRequest,
  RangeRequest,
  RangeResponse,
  TxnRequest,
  TxnResponse,
  WatchRequest,
} from './message-types.ts';
import {
  compactMethod,
  deleteRangeMethod,
  leaseGrantMethod,
  leaseKeepAliveMethod,
  leaseRevokeMethod,
  numberOf,
  putMethod,
  rangeMethod,
  txnMethod,
  type UnaryMethod,
} from './etcd-messages.ts';

export type { WatchListener, WatchStream } from './watch-stream.ts';

/** A member of etcd about itself. */
export interface MemberStatus {
  /** Size of its database in bytes. */
  readonly dbSize: number;
  /** Its release, such as `3.5.30`. */
  readonly version: string;
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
  /** Repeated if etcd turns out to have another past: nothing of the old one is in the request. */
  readonly isOfAnyPast?: boolean;
}

/** The retry policy of a call. */
interface CallPolicy extends CallPurpose {
  readonly operation: string;
  /** The call is idempotent. */
  readonly repeatable: boolean;
  readonly isOfAnyPast?: boolean;
  /** The revision of the answer is the newest of the cluster. */
  readonly isNewest?: boolean;
  readonly timeoutMs: number;
  /** Connection of the member to use; default `calls`. */
  readonly line?: 'calls' | 'pages';
  /** A larger response is rejected before it is received; absent if there is no limit. */
  readonly maxBytes?: number;
}

interface ClientDependencies extends Environment {
  readonly options: StorageOptions;
  readonly times: StorageTimes;
  /** Told with the reason when etcd turns out to have another past: what was read before is void. */
  readonly onOtherPast?: (why: string) => void;
}

export class EtcdClient {
  readonly #endpoints: readonly Endpoint[];
  /** It sends tokens. */
  readonly #hasUser: boolean;
  readonly #past: KnownPast;
  readonly #members: Members;
  readonly #metrics: StorageMetrics;
  readonly #times: StorageTimes;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #closing = new AbortController();

  constructor({ options, times, clock, random, onOtherPast }: ClientDependencies) {
    if (options.endpoints.length === 0) throw new Error('etcd: no endpoint given');
    this.#endpoints = options.endpoints.map(
      (url) => new Endpoint(url, { options, clock, random, attemptMs: times.attempt }),
    );
    this.#hasUser = options.username !== undefined;
    this.#metrics = options.metrics;
    this.#times = times;
    this.#clock = clock;
    this.#random = random;
    this.#past = new KnownPast((why) => onOtherPast?.(why));
    this.#members = new Members({
      ...{ endpoints: this.#endpoints, past: this.#past, logger: options.logger },
      ...{ attemptMs: times.attempt, random },
    });
  }

  /** Number of the past of etcd; what was read in different ones does not belong together. */
  get epoch(): number {
    return this.#past.epoch;
  }

  /** The id of the cluster as text; undefined before its first answer. */
  get cluster(): string | undefined {
    const { cluster } = this.#past;
    return cluster === undefined ? undefined : textOf(cluster);
  }

  /** Another client of the past that this one follows has seen this revision. */
  learn(revision: Revision): void {
    this.#past.learn(revision);
  }

  /** The caller knows that etcd has another past. */
  beginOtherPast(why: string): void {
    this.#past.begin(why);
  }

  /** @throws EtcdError when the deadline passes or etcd refuses */
  range(request: RangeRequest, options: CallOptions = {}): Promise<RangeResponse> {
    const defaults = {
      ...{ operation: 'range', repeatable: true, timeoutMs: this.#times.operation },
      isNewest: request.serializable !== true,
    };
    return this.#call(rangeMethod, request, { ...defaults, ...options });
  }

  /**
   * One page of a large range. Not retried, as the caller should request less after a timeout.
   * @param maxBytes a longer answer is refused before it comes
   * @throws EtcdError, `tooLarge` for that
   */
  page(request: RangeRequest, maxBytes: number, purpose: CallPurpose = {}): Promise<RangeResponse> {
    const timeoutMs = this.#times.attempt;
    const isNewest = request.serializable !== true;
    const policy = { operation: 'range', repeatable: true, timeoutMs, maxBytes, line: 'pages' } as const;
    return this.#call(rangeMethod, request, { ...policy, isNewest, ...purpose });
  }

  /**
   * Sent once to a member that is up.
   * @throws EtcdError, of kind `unknown` or `otherPast` if it may have been executed
   */
  txn(request: TxnRequest, options: CallOptions = {}): Promise<TxnResponse> {
    const defaults = {
      ...{ operation: 'txn', repeatable: false, timeoutMs: this.#times.operation },
      isNewest: true,
    };
    return this.#call(txnMethod, request, { ...defaults, ...options });
  }

  /**
   * For keys where a repeated put is harmless.
   * @throws EtcdError
   */
  put(request: PutRequest): Promise<HeaderResponse> {
    return this.#call(putMethod, request, this.#putPolicy());
  }

  /**
   * Writes a fence key, whose event proves the progress of a watch; gives its revision.
   * @throws EtcdError, `noSpace` if etcd is full
   */
  async fence(key: Buffer): Promise<number> {
    return numberOf((await this.put({ key, value: Buffer.from('0') })).header.revision);
  }

  /**
   * Removes a key, which a full etcd allows, too. May have been sent twice, and the answer is then that of the second.
   * @throws EtcdError
   */
  remove(key: Buffer): Promise<DeleteRangeResponse> {
    return this.#call(deleteRangeMethod, { key }, { ...this.#putPolicy(), operation: 'delete' });
  }

  #putPolicy(): CallPolicy {
    return { operation: 'put', repeatable: true, isNewest: true, timeoutMs: this.#times.operation };
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

  /** What each member that responds tells of itself, by URL; members to use are chosen by the same answers. */
  async memberStatuses(): Promise<ReadonlyMap<string, MemberStatus>> {
    const statuses = new Map<string, MemberStatus>();
    for (const [url, { dbSize, version }] of await this.#members.look())
      statuses.set(url, { dbSize: numberOf(dbSize), version });
    return statuses;
  }

  /** Opens a watch stream at the preferred member. @throws EtcdError `notSent` */
  async watch(request: WatchRequest, listener: WatchListener): Promise<WatchStream> {
    const endpoint = this.#members.current() ?? (await this.#members.choose());
    try {
      const line = endpoint.watches.line() ?? (await endpoint.watches.bringUp(this.#times.attempt));
      const distrust = (isDead: boolean): void => {
        this.#members.suspect(endpoint);
        if (isDead) endpoint.watches.drop(line, 0);
      };
      const check = this.#watchCheck(endpoint);
      return openStream({ line, request, listener, distrust, check });
    } catch (error) {
      this.#members.suspect(endpoint);
      throw toEtcdError(error, 'watch');
    }
  }

  /** For each answer of a watch. Returns the error that ends it. */
  #watchCheck(endpoint: Endpoint): StreamParts['check'] {
    const sent = this.#past.sentNow();
    return ({ header }) => {
      try {
        this.#members.check(endpoint, header, sent, false);
        return undefined;
      } catch (error) {
        const etcdError = toEtcdError(error, 'watch');
        // Decides whether the member or the past is left.
        if (!this.#closing.signal.aborted) void this.#members.look();
        return etcdError;
      }
    };
  }

  /** Other credentials for connections to come; those that are up stay. */
  useTls(tls: EtcdTls | undefined): void {
    for (const endpoint of this.#endpoints) endpoint.useTls(tls);
  }

  close(): void {
    this.#closing.abort();
    for (const endpoint of this.#endpoints) endpoint.close();
  }

  /** A step of the request that it is made for. */
  #call<Q, S extends HeaderResponse>(method: UnaryMethod<Q, S>, request: Q, policy: CallPolicy): Promise<S> {
    if (!currentSpan()) return this.#repeat(method, request, policy);
    return inStep(method.path.slice(1), () => this.#repeat(method, request, policy), callDetails(method));
  }

  async #repeat<Q, S extends HeaderResponse>(
    method: UnaryMethod<Q, S>,
    request: Q,
    policy: CallPolicy,
  ): Promise<S> {
    const deadline = this.#clock.monotonic() + policy.timeoutMs;
    const backoff = new Backoff({ firstMs: 20, maxMs: 500 }, this.#random);
    for (let attempt = 1; ; attempt += 1) {
      let endpoint = this.#members.current();
      const { epoch } = this.#past;
      try {
        endpoint ??= await this.#members.choose();
        const left = deadline - this.#clock.monotonic();
        return await this.#attempt(endpoint, method, request, { ...policy, timeoutMs: left });
      } catch (error) {
        const etcdError = toEtcdError(error, policy.operation);
        if (endpoint !== undefined) await this.#judge(endpoint, etcdError);
        const isOver = this.#closing.signal.aborted || this.#clock.monotonic() >= deadline;
        if (isOver || !mayRepeat(etcdError, policy, epoch === this.#past.epoch)) throw etcdError;
        if (attempt % this.#endpoints.length === 0) await this.#rest(backoff, deadline);
      }
    }
  }

  /** Learns from a failed call which members to use. */
  async #judge(endpoint: Endpoint, { kind, message }: EtcdError): Promise<void> {
    if (isLearnerRefusal(message)) this.#members.noteLearner(endpoint);
    if (kind === 'otherPast' && !this.#closing.signal.aborted) await this.#members.look();
    if (kind === 'notSent' || kind === 'unknown') this.#members.suspect(endpoint);
  }

  async #attempt<Q, S extends HeaderResponse>(
    endpoint: Endpoint,
    method: UnaryMethod<Q, S>,
    request: Q,
    policy: CallPolicy,
  ): Promise<S> {
    const ms = Math.max(1, Math.min(this.#times.attempt, policy.timeoutMs));
    const slot = endpoint[policy.line ?? 'calls'];
    const line = slot.line() ?? (await slot.bringUp(ms));
    const start = this.#clock.monotonic();
    const sent: SentAt = this.#past.sentNow();
    let isDone = false;
    try {
      const response = await line.call(method, request, ms, policy.maxBytes);
      this.#members.check(endpoint, response.header, sent, policy.isNewest === true);
      isDone = true;
      return response;
    } catch (error) {
      throw this.#learn(error, policy, (isLate) => {
        slot.drop(line, this.#times.attempt);
        // Streams of a member that is frozen are as silent as those of one to which nothing happens.
        if (isLate) endpoint.watches.line()?.check?.();
      });
    } finally {
      const seconds = (this.#clock.monotonic() - start) / 1000;
      this.#metrics.observeEtcdRequest(policy.operation, seconds, isDone, policy.collection);
    }
  }

  /** Drops a connection after a timeout, as it may be dead, and after a rejected token. */
  #learn(error: unknown, policy: CallPolicy, drop: (isLate: boolean) => void): EtcdError {
    const known = toEtcdError(error, policy.operation);
    const etcdError = this.#hasUser ? known : withoutTokens(known);
    if (etcdError.isLate || etcdError.kind === 'badToken') drop(etcdError.isLate);
    return etcdError;
  }

  async #rest(backoff: Backoff, deadline: number): Promise<void> {
    const ms = Math.min(backoff.nextMs(), Math.max(0, deadline - this.#clock.monotonic()));
    await pause(this.#clock, ms, this.#closing.signal);
  }
}

/** As OpenTelemetry's conventions for RPC have it. Keys and values are not shown. */
function callDetails({ path }: Pick<UnaryMethod<never, unknown>, 'path'>): StepDetails {
  const [, service = '', method = ''] = path.split('/');
  return {
    kind: 'client',
    attributes: { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method },
  };
}

/** @param isSamePast what answered is not followed; the past of etcd is as before */
function mayRepeat(etcdError: EtcdError, policy: CallPolicy, isSamePast: boolean): boolean {
  if (etcdError.kind === 'notSent' || etcdError.kind === 'badToken') return true;
  if (etcdError.kind === 'otherPast') return policy.repeatable && (isSamePast || policy.isOfAnyPast === true);
  return etcdError.kind === 'unknown' && policy.repeatable;
}
