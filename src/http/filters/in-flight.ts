/**
 * In-flight limits for non-mutating and mutating requests; a request over the limit gets 429. Runs before
 * authorization, which may call webhooks.
 */
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
  running = 0;

  constructor(limit: number) {
    this.limit = limit || Infinity;
  }

  readonly leave = (): void => {
    this.running -= 1;
  };
}

/** Rejects with 429; watches and connections are not counted, health and `system:masters` are exempt. */
export function withInFlightLimits(limits: InFlightLimits, metrics: ServerMetrics): Step {
  const readOnly = new InFlightCounter(limits.readOnly);
  const mutating = new InFlightCounter(limits.mutating);
  return function inFlight(context: RequestContext): void {
    if (context.longRunning || isHealth(context) || context.user.groups.includes(groupMasters)) return;
    const lane = isReadOnly(context) ? readOnly : mutating;
    if (lane.running >= lane.limit) throw overloaded(context, metrics);
    lane.running += 1;
    context.onClose(lane.leave);
  };
}
