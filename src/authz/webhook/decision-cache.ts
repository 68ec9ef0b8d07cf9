/**
 * Cache of webhook decisions: bounded, with a TTL; concurrent requests share one review; the oldest entries go first.
 */
import type { PassiveClock } from '../../base/clock.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { AuthorizerDecision } from '../types.ts';

export interface DecisionTtls {
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
}

const maxCached = 8_192;
/** Longer keys are not cached: clients choose their length. */
const maxKeyLength = 10_000;

interface CachedDecision {
  readonly decision: AuthorizerDecision;
  readonly until: number;
}

export class DecisionCache {
  private readonly ttls: DecisionTtls;
  private readonly clock: PassiveClock;
  private readonly cached = new Map<string, CachedDecision>();
  private readonly pending = new Map<string, Promise<AuthorizerDecision>>();

  constructor(ttls: DecisionTtls, clock: PassiveClock) {
    this.clock = clock;
    this.ttls = ttls;
  }

  /** The cached decision, the one in flight, or the result of `sendReview`. */
  decide(key: string, sendReview: () => Promise<AuthorizerDecision>): MaybePromise<AuthorizerDecision> {
    const known = this.cached.get(key);
    if (known && known.until > this.clock.monotonic()) return known.decision;
    const running = this.pending.get(key);
    if (running) return running;
    const review = sendReview()
      .then((decision) => this.cache(key, decision))
      .finally(() => this.pending.delete(key));
    this.pending.set(key, review);
    return review;
  }

  private cache(key: string, decision: AuthorizerDecision): AuthorizerDecision {
    this.cached.delete(key);
    const { authorizedTtlMs, unauthorizedTtlMs } = this.ttls;
    const ttlMs = decision.decision === 'allow' ? authorizedTtlMs : unauthorizedTtlMs;
    if (decision.error !== undefined || ttlMs === 0 || key.length > maxKeyLength) return decision;
    this.cached.set(key, { decision, until: this.clock.monotonic() + ttlMs });
    const [oldest] = this.cached.keys();
    if (this.cached.size > maxCached && oldest !== undefined) this.cached.delete(oldest);
    return decision;
  }
}
