/**
 * Bytes of request bodies in work, in all and by user. Small bodies are bounded by the in-flight limits; a larger one
 * takes its size from this budget, waits for it in turn, and gives it back with the answer.
 */
import { FairBudget, type FairBudgetLimits } from '../base/fair-budget.ts';
import type { StatusError } from '../meta/status.ts';
import type { ServerMetrics } from '../observe/server-metrics.ts';
import { BodyShare, type BodyPace } from './body-share.ts';
import type { RequestContext } from './context.ts';
import { overloaded } from './filters/overload.ts';

export interface BodyBudgetLimits extends FairBudgetLimits {
  /** Longest wait of a request, in milliseconds. */
  readonly maxWaitMs: number;
  /** Slower bodies are given up while others wait for their bytes. */
  readonly pace: BodyPace;
}

const megabyte = 1024 * 1024;

/** Sooner than the wait of those who are behind it: 300 KB a second of the largest body. */
const pace: BodyPace = { graceMs: 2_000, wholeMs: 8_000 };
/** How often bodies are looked at while somebody waits. */
const lookMs = 250;

/** Of `total` bytes (`--max-request-bytes-inflight`) one flow gets a quarter at most. */
export function bodyBudgetLimits(total: number, maxWaitMs: number): BodyBudgetLimits {
  return { total, perFlow: Math.max(total / 4, 4 * megabyte), maxWaiting: 1_000, maxWaitMs, pace };
}

export const defaultBodyBudget = bodyBudgetLimits(64 * megabyte, 15_000);

export class BodyBudget {
  readonly #limits: BodyBudgetLimits;
  readonly #budget: FairBudget;
  readonly #metrics: ServerMetrics;
  readonly #shares = new Set<BodyShare>();
  /** While somebody waits. */
  #looking: NodeJS.Timeout | undefined;

  constructor(limits: BodyBudgetLimits, metrics: ServerMetrics) {
    this.#limits = limits;
    this.#budget = new FairBudget(limits);
    this.#metrics = metrics;
  }

  /** Resolves when the request may read `bytes`; they are given back when it is over. @throws StatusError 429 */
  async take(context: RequestContext, bytes: number): Promise<void> {
    const flow = context.user.name;
    const taken = this.#budget.take(flow, bytes, context, this.#limits.maxWaitMs);
    if (this.#budget.waiting > 0) this.#looking ??= setInterval(() => this.#look(), lookMs).unref();
    const refused = (): StatusError => overloaded(context, this.#metrics);
    if ((await taken) !== undefined) throw refused();
    const share = new BodyShare(bytes, refused);
    context.bodyShare = share;
    this.#shares.add(share);
    this.#note();
    const giveBack = (): void => {
      this.#shares.delete(share);
      this.#budget.give(flow, bytes);
      this.#note();
    };
    if (context.isClosed()) giveBack();
    else context.onClose(giveBack);
  }

  /** Who sends slowly keeps nobody waiting: as much as many clients announce and do not send would be all there is. */
  #look(): void {
    if (this.#budget.isExhausted) for (const share of this.#shares) share.keepPace(this.#limits.pace);
    if (this.#budget.waiting > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  #note(): void {
    this.#metrics.inflightBodyBytes.series().set(this.#budget.inUse);
  }
}
