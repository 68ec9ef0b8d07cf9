/**
 * Tokens that somebody else knows (specification, "Webhook token authentication"): a TokenReview is sent, and what was
 * decided is remembered for a while under a digest of the token. A webhook that fails decides nothing: that is never
 * remembered. Requests with the same token share one question.
 */
import { BoundedCache } from '../../base/bounded-cache.ts';
import { systemClock, type Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { shortText } from '../../base/short-text.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import { digestText } from '../secret-digest.ts';
import type { AuthenticationRequest, AuthenticationResult, Authenticator } from '../types.ts';
import { readAnswer, tokenReview } from './token-review.ts';

const name = 'webhook';
const remembered = 10_000;
/** More questions than these at once are not asked: nobody would wait that long for the last one. */
const maxQuestions = 1_000;

export interface WebhookTokenOptions {
  /** Sends a review and gives the answer; rejects when there is none in time. */
  readonly ask: (review: JsonObject) => Promise<JsonObject>;
  /** Group and version of the reviews. */
  readonly apiVersion: string;
  /** Who the service is: whom tokens have to be meant for when a request does not say. */
  readonly audiences: readonly string[];
  /** How long a decision holds; 0: for the question alone. */
  readonly cacheMs: number;
  readonly clock?: Clock;
}

export function createWebhookTokenAuthenticator(options: WebhookTokenOptions): Authenticator {
  return new WebhookTokenAuthenticator(options);
}

type Decision = AuthenticationResult | undefined;

class WebhookTokenAuthenticator implements Authenticator {
  private readonly options: WebhookTokenOptions;
  private readonly clock: Clock;
  private readonly decided = new BoundedCache<
    string,
    { readonly decision: Decision; readonly until: number }
  >(remembered);
  private readonly questions = new Map<string, Promise<Decision>>();

  constructor(options: WebhookTokenOptions) {
    this.options = options;
    this.clock = options.clock ?? systemClock;
  }

  authenticate({ bearerToken, audiences }: AuthenticationRequest): MaybePromise<Decision> {
    if (bearerToken === '') return undefined;
    const asked = audiences ?? this.options.audiences;
    const key = digestText(JSON.stringify([bearerToken, asked]));
    const known = this.decided.get(key);
    if (known && this.clock.monotonic() < known.until) return known.decision;
    return this.questions.get(key) ?? this.question(key, bearerToken, asked);
  }

  private question(key: string, token: string, audiences: readonly string[]): Promise<Decision> {
    if (this.questions.size >= maxQuestions) throw new Error('the token webhook is asked too much already');
    const question = this.decide(key, token, audiences).finally(() => this.questions.delete(key));
    this.questions.set(key, question);
    return question;
  }

  private async decide(key: string, token: string, audiences: readonly string[]): Promise<Decision> {
    const { ask, apiVersion, cacheMs } = this.options;
    // What the webhook says might repeat the token, and reasons are logged.
    const hidden = (text: string): string => shortText(text.replaceAll(token, '…'));
    const asked = ask(tokenReview(apiVersion, token, audiences)).catch((error: unknown) => {
      throw new Error(hidden(messageOf(error)));
    });
    const answer = readAnswer(await asked, apiVersion);
    const shared = answer.audiences.filter((audience) => audiences.includes(audience));
    const reason = hidden(answer.error);
    const decision = ((): Decision => {
      if (!answer.user) return reason === '' ? undefined : rejected(reason);
      if (answer.audiences.length > 0 && shared.length === 0) return rejected('meant for another audience');
      const about = { outcome: 'authenticated', user: answer.user, authenticator: name } as const;
      return shared.length > 0 ? { ...about, audiences: shared } : about;
    })();
    this.decided.set(key, { decision, until: this.clock.monotonic() + cacheMs });
    return decision;
  }
}

function rejected(reason: string): AuthenticationResult {
  return { outcome: 'rejected', authenticator: name, reason: `token webhook: ${reason}` };
}
