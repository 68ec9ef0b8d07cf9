/**
 * Limits the bytes of request bodies in flight, in total and by user. Small bodies are bounded by the in-flight
 * limits; a larger one reserves its size from this budget, waits in a fair queue if it must, and releases it with the
 * response.
 */
import type { Clock, Timer } from '../base/clock.ts';
import { FairBudget, type FairBudgetLimits } from '../base/fair-budget.ts';
import type { StatusError } from '../meta/status.ts';
import type { ServerMetrics } from '../observe/server-metrics.ts';
import { BodyShare, type BodyPace } from './body-share.ts';
import type { RequestContext } from './request-context.ts';
import { overloaded } from './filters/overload.ts';

export interface BodyBudgetLimits extends FairBudgetLimits {
  /** Maximum time that a request waits, in milliseconds. */
  readonly maxWaitMs: number;
  /** Slower bodies are aborted while other requests wait for the budget. */
  readonly pace: BodyPace;
}

const megabyte = 1024 * 1024;

/** Shorter than the wait of queued requests; 300 KB/s for the largest body. */
const pace: BodyPace = { graceMs: 2_000, wholeMs: 8_000 };
/** Interval of the pace check while requests wait. */
const lookMs = 250;

/** One flow gets at most a quarter of `total` bytes (`--max-request-bytes-inflight`). */
export function bodyBudgetLimits(total: number, maxWaitMs: number): BodyBudgetLimits {
  return { total, perFlow: Math.max(total / 4, 4 * megabyte), maxWaiting: 1_000, maxWaitMs, pace };
}

export const defaultBodyBudget = bodyBudgetLimits(64 * megabyte, 15_000);

export class BodyBudget {
  readonly #limits: BodyBudgetLimits;
  readonly #budget: FairBudget;
  readonly #metrics: ServerMetrics;
  readonly #clock: Clock;
  readonly #shares = new Set<BodyShare>();
  /** Set while requests wait. */
  #looking: Timer | undefined;

  constructor(limits: BodyBudgetLimits, metrics: ServerMetrics, clock: Clock) {
    this.#limits = limits;
    this.#budget = new FairBudget(limits, clock, 'bytes of bodies');
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /**
   * Resolves when the request may read `bytes`; they are released when it ends.
   * @throws StatusError 429
   */
  async take(context: RequestContext, bytes: number): Promise<void> {
    const flow = context.user.name;
    const taken = this.#budget.take(flow, bytes, context, this.#limits.maxWaitMs);
    if (this.#budget.waiting > 0) this.#looking ??= this.#lookOften();
    const refused = (): StatusError => overloaded(context, this.#metrics);
    if ((await taken) !== undefined) throw refused();
    const share = new BodyShare(bytes, refused, this.#clock);
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

  #lookOften(): Timer {
    const timer = this.#clock.setInterval(() => this.#look(), lookMs);
    timer.unref();
    return timer;
  }

  /** Aborts slow bodies: clients that announce bytes and do not send them could otherwise hold the whole budget. */
  #look(): void {
    if (this.#budget.isExhausted) for (const share of this.#shares) share.keepPace(this.#limits.pace);
    if (this.#budget.waiting > 0) return;
    this.#clock.clear(this.#looking);
    this.#looking = undefined;
  }

  #note(): void {
    this.#metrics.inflightBodyBytes.series().set(this.#budget.inUse);
  }
}
