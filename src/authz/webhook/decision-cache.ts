/** Decisions that were dear to get: kept for a while, asked for once however many wait, oldest out first. */
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { AuthorizerDecision } from '../types.ts';

export interface DecisionLifetimes {
  readonly allowedMs: number;
  readonly refusedMs: number;
}

const mostKept = 8_192;
/** Longer questions are not kept: whoever asks chooses their length. */
const longestKey = 10_000;

interface Kept {
  readonly decision: AuthorizerDecision;
  readonly until: number;
}

export class DecisionCache {
  private readonly lifetimes: DecisionLifetimes;
  private readonly kept = new Map<string, Kept>();
  private readonly asking = new Map<string, Promise<AuthorizerDecision>>();

  constructor(lifetimes: DecisionLifetimes) {
    this.lifetimes = lifetimes;
  }

  /** The decision that is known, that is being asked for, or that `ask` gives. */
  decide(key: string, ask: () => Promise<AuthorizerDecision>): MaybePromise<AuthorizerDecision> {
    const known = this.kept.get(key);
    if (known && known.until > performance.now()) return known.decision;
    const running = this.asking.get(key);
    if (running) return running;
    const answer = ask()
      .then((decision) => this.keep(key, decision))
      .finally(() => this.asking.delete(key));
    this.asking.set(key, answer);
    return answer;
  }

  private keep(key: string, decision: AuthorizerDecision): AuthorizerDecision {
    this.kept.delete(key);
    const { allowedMs, refusedMs } = this.lifetimes;
    const lifeMs = decision.decision === 'allow' ? allowedMs : refusedMs;
    if (decision.fault !== undefined || lifeMs === 0 || key.length > longestKey) return decision;
    this.kept.set(key, { decision, until: performance.now() + lifeMs });
    const [oldest] = this.kept.keys();
    if (this.kept.size > mostKept && oldest !== undefined) this.kept.delete(oldest);
    return decision;
  }
}
