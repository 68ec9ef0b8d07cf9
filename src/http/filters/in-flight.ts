/**
 * In-flight limits for non-mutating and mutating requests; a request over the limit gets 429. Runs before
 * authorization, which may call webhooks.
 */
import { ownCounts, type Count, type Counts } from '../../base/counts.ts';
import { groupMasters } from '../../meta/user.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { RequestContext } from '../request-context.ts';
import { isHealth, overloaded } from './overload.ts';
import { isReadOnly } from './request-metrics.ts';
import type { Step } from './step.ts';

/** Maximum number of requests in flight; 0 means no limit. */
export interface InFlightLimits {
  readonly readOnly: number;
  readonly mutating: number;
}

class InFlightCounter {
  readonly limit: number;
  /** Requests in flight. */
  readonly #running: Count;

  constructor(limit: number, running: Count) {
    this.limit = limit || Infinity;
    this.#running = running;
  }

  /** Returns false if there are too many. */
  enter(): boolean {
    this.#running.add(1);
    if (this.#running.total <= this.limit) return true;
    this.leave();
    return false;
  }

  readonly leave = (): void => {
    this.#running.add(-1);
  };
}

/** Rejects with 429; watches and connections are not counted, health and `system:masters` are exempt. */
export function withInFlightLimits(
  limits: InFlightLimits,
  metrics: ServerMetrics,
  counts: Counts = ownCounts,
): Step {
  const readOnly = new InFlightCounter(limits.readOnly, counts.count('read-only requests'));
  const mutating = new InFlightCounter(limits.mutating, counts.count('mutating requests'));
  return function inFlight(context: RequestContext): void {
    if (context.longRunning || isHealth(context) || context.user.groups.includes(groupMasters)) return;
    const lane = isReadOnly(context) ? readOnly : mutating;
    if (!lane.enter()) throw overloaded(context, metrics);
    context.onClose(lane.leave);
  };
}
