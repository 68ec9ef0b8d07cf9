/**
 * Limits the cost of invalid credentials: each one takes a digest, a signature, a quorum read or a webhook call. An
 * address that exceeds the limit gets 429 for bearer tokens and passwords, before any authenticator runs. Not
 * rejected, as clients may share the address of a load balancer:
 *
 *   connections whose last credentials were valid
 *   credentials that were valid a short while ago, on any connection
 *   client certificates and requests without credentials, which cost nothing more
 */
import { atMost } from '../../base/at-most.ts';
import type { PassiveClock } from '../../base/clock.ts';
import { LRUCache } from 'lru-cache';
import { digestText } from '../../authn/secret-digest.ts';
import { TokenBucket, type Rate } from '../../base/token-bucket.ts';
import { tooManyRequests } from '../../meta/status.ts';
import type { NumberFamily } from '../../observe/metric-series.ts';
import { networkOf } from '../client-address.ts';
import { markAuthenticated, connectionStateOf } from '../connection-state.ts';
import type { RequestContext } from '../request-context.ts';

/** Failures of one address; no limit if `qps` is 0. */
export interface FailedAuthenticationLimits extends Rate {
  /** Threads that serve: each lets an address try its part. */
  readonly threads: number;
  /** Counts rejected requests. */
  readonly throttled: NumberFamily;
  readonly clock: Pick<PassiveClock, 'monotonic'>;
}

export const defaultFailedAuthentications: Rate = { qps: 20, burst: 200 };

const rememberedAddresses = 10_000;
/** Only digests are kept, which are not usable as credentials. */
const rememberedCredentials = 20_000;
const retryAfterSeconds = 1;

export class FailedAuthentications {
  private readonly limits: FailedAuthenticationLimits;
  private readonly buckets = new LRUCache<string, TokenBucket>(atMost(rememberedAddresses));
  private readonly good = new LRUCache<string, true>(atMost(rememberedCredentials));

  constructor(limits: FailedAuthenticationLimits) {
    this.limits = limits;
    limits.throttled.series().set(0);
  }

  /** @throws StatusError 429 if the address has exceeded the limit */
  assertMayTry({ req }: RequestContext): void {
    if (this.buckets.size === 0 || req.headers.authorization === undefined) return;
    if (connectionStateOf(req.socket).isAuthenticated) return;
    const bucket = this.buckets.get(networkOf(req.socket.remoteAddress));
    if (bucket === undefined || !bucket.isEmpty) return;
    if (this.good.get(digestText(req.headers.authorization)) === true) return;
    this.limits.throttled.series().add();
    throw tooManyRequests('too many failed authentications, please try again later', retryAfterSeconds);
  }

  /** Called after a successful authentication, before the credentials are removed. */
  noteSuccess({ req }: RequestContext): void {
    const connectionState = connectionStateOf(req.socket);
    if (connectionState.isAuthenticated) return;
    markAuthenticated(connectionState);
    const { authorization } = req.headers;
    if (authorization !== undefined) this.good.set(digestText(authorization), true);
  }

  /** Called after a failed authentication. */
  noteFailure({ req }: RequestContext): void {
    connectionStateOf(req.socket).isAuthenticated = false;
    if (this.limits.qps === 0) return;
    const { authorization } = req.headers;
    if (authorization !== undefined && this.good.size > 0) this.good.delete(digestText(authorization));
    const address = networkOf(req.socket.remoteAddress);
    const bucket = this.buckets.get(address) ?? new TokenBucket(this.part(), this.limits.clock);
    bucket.tryTake();
    this.buckets.set(address, bucket);
  }

  private part(): Rate {
    const { qps, burst, threads } = this.limits;
    return { qps: qps / threads, burst: Math.ceil(burst / threads) };
  }
}
