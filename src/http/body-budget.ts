/**
 * Bytes of request bodies in work, in all and by user. Small bodies are bounded by the in-flight limits; a larger one
 * takes its size from this budget, waits for it in turn, and gives it back with the answer.
 */
import { FairBudget, type FairBudgetLimits } from '../base/fair-budget.ts';
import type { ServerMetrics } from '../observe/server-metrics.ts';
import type { RequestContext } from './context.ts';
import { overloaded } from './filters/overload.ts';

export interface BodyBudgetLimits extends FairBudgetLimits {
  /** Longest wait of a request, in milliseconds. */
  readonly maxWaitMs: number;
}

const megabyte = 1024 * 1024;

/** Of `total` bytes (`--max-request-bytes-inflight`) one flow gets a quarter at most. */
export function bodyBudgetLimits(total: number, maxWaitMs: number): BodyBudgetLimits {
  return { total, perFlow: Math.max(total / 4, 4 * megabyte), maxWaiting: 1_000, maxWaitMs };
}

export const defaultBodyBudget = bodyBudgetLimits(64 * megabyte, 15_000);

export class BodyBudget {
  readonly #limits: BodyBudgetLimits;
  readonly #budget: FairBudget;
  readonly #metrics: ServerMetrics;

  constructor(limits: BodyBudgetLimits, metrics: ServerMetrics) {
    this.#limits = limits;
    this.#budget = new FairBudget(limits);
    this.#metrics = metrics;
  }

  /** Resolves when the request may read `bytes`; they are given back when it is over. @throws StatusError 429 */
  async take(context: RequestContext, bytes: number): Promise<void> {
    const flow = context.user.name;
    const refusal = await this.#budget.take(flow, bytes, context, this.#limits.maxWaitMs);
    if (refusal !== undefined) throw overloaded(context, this.#metrics);
    this.#note();
    const giveBack = (): void => {
      this.#budget.give(flow, bytes);
      this.#note();
    };
    if (context.isClosed()) giveBack();
    else context.onClose(giveBack);
  }

  #note(): void {
    this.#metrics.inflightBodyBytes.cell().set(this.#budget.inUse);
  }
}
