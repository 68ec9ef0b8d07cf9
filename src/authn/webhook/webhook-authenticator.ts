/**
 * Webhook token authentication (`--authentication-token-webhook-config-file`): a TokenReview is sent, and the decision
 * is cached under a digest of the token (`--authentication-token-webhook-cache-ttl`). Failures are never cached.
 * Concurrent requests with the same token share one review.
 */
import { LRUCache } from 'lru-cache';
import { type PassiveClock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { digestText } from '../secret-digest.ts';
import { mostCachedWeight, userWeight } from '../user-bounds.ts';
import type { AuthenticationRequest, AuthenticationResult, Authenticator } from '../types.ts';
import { readTokenReview, tokenReview } from './webhook-token-review.ts';

const name = 'webhook';
const maxCached = 10_000;
/** Most reviews in flight: no client would wait longer for the last one. */
const maxPendingReviews = 1_000;

export interface WebhookTokenOptions {
  /** Sends a review and returns the response; rejects when there is none in time. */
  readonly sendReview: (review: JsonObject) => Promise<JsonObject>;
  /** Group and version of the reviews. */
  readonly apiVersion: string;
  /** See `ReviewForm`. */
  readonly writesZeroTime: boolean;
  /** Audiences of the service: the default when a request names none. */
  readonly audiences: readonly string[];
  /** How long a decision is cached; 0: not at all. */
  readonly cacheMs: number;
  readonly clock: PassiveClock;
}

export function createWebhookTokenAuthenticator(options: WebhookTokenOptions): Authenticator {
  return new WebhookTokenAuthenticator(options);
}

type Decision = AuthenticationResult | undefined;

class WebhookTokenAuthenticator implements Authenticator {
  private readonly options: WebhookTokenOptions;
  private readonly clock: PassiveClock;
  private readonly decisions = new LRUCache<string, { readonly decision: Decision; readonly until: number }>({
    max: maxCached,
    maxSize: mostCachedWeight,
    sizeCalculation: ({ decision }) => weightOf(decision),
  });
  private readonly pendingReviews = new Map<string, Promise<Decision>>();

  constructor(options: WebhookTokenOptions) {
    this.options = options;
    this.clock = options.clock;
  }

  authenticate({ bearerToken, audiences }: AuthenticationRequest): MaybePromise<Decision> {
    if (bearerToken === '') return undefined;
    const asked = audiences ?? this.options.audiences;
    const key = digestText(JSON.stringify([bearerToken, asked]));
    const known = this.decisions.get(key);
    if (known && this.clock.monotonic() < known.until) return known.decision;
    return this.pendingReviews.get(key) ?? this.startReview(key, bearerToken, asked);
  }

  private startReview(key: string, token: string, audiences: readonly string[]): Promise<Decision> {
    if (this.pendingReviews.size >= maxPendingReviews)
      throw new Error('too many token reviews are in flight');
    const startReview = this.decide(key, token, audiences).finally(() => this.pendingReviews.delete(key));
    this.pendingReviews.set(key, startReview);
    return startReview;
  }

  private async decide(key: string, token: string, audiences: readonly string[]): Promise<Decision> {
    const { sendReview, apiVersion, writesZeroTime, cacheMs } = this.options;
    // The webhook's message might contain the token, and reasons are logged.
    const hidden = (text: string): string => shortText(text.replaceAll(token, '…'));
    const asked = sendReview(tokenReview({ apiVersion, writesZeroTime }, token, audiences)).catch(
      (error: unknown) => {
        throw new Error(hidden(messageOf(error)));
      },
    );
    const result = readTokenReview(await asked, apiVersion);
    const wanted = new Set(audiences);
    const shared = result.audiences.filter((audience) => wanted.has(audience));
    const reason = hidden(result.error);
    const decision = ((): Decision => {
      if (!result.user) return reason === '' ? undefined : rejected(reason);
      if (result.audiences.length > 0 && shared.length === 0) return rejected('meant for another audience');
      const about = { outcome: 'authenticated', user: result.user, authenticator: name } as const;
      return shared.length > 0 ? { ...about, audiences: shared } : about;
    })();
    this.decisions.set(key, { decision, until: this.clock.monotonic() + cacheMs });
    return decision;
  }
}

function weightOf(decision: Decision): number {
  return decision?.outcome === 'authenticated' ? userWeight(decision.user) : 1;
}

function rejected(reason: string): AuthenticationResult {
  return { outcome: 'rejected', authenticator: name, reason: `token webhook: ${reason}` };
}
