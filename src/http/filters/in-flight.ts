/**
 * Bounds how many requests are served at once, those that read and those that write apart: whoever comes beyond is told
 * to come again. Runs before authorization, since that may ask others, too.
 */
import { groupMasters } from '../../meta/user.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { RequestContext } from '../context.ts';
import { isHealth, isUnbounded, overloaded } from './overload.ts';
import { isReadOnly } from './request-metrics.ts';
import type { Step } from './step.ts';

/** Of each kind; 0: as many as come. */
export interface InFlightLimits {
  readonly readOnly: number;
  readonly mutating: number;
}

class Lane {
  readonly limit: number;
  /** Requests that are counted and not over. */
  running = 0;

  constructor(limit: number) {
    this.limit = limit || Infinity;
  }

  readonly leave = (): void => {
    this.running -= 1;
  };
}

/** Refuses with 429; watches and connections are not counted, health and `system:masters` never refused. */
export function withInFlightLimits(limits: InFlightLimits, metrics: ServerMetrics): Step {
  const readOnly = new Lane(limits.readOnly);
  const mutating = new Lane(limits.mutating);
  return function inFlight(context: RequestContext): void {
    if (isUnbounded(context) || isHealth(context) || context.user.groups.includes(groupMasters)) return;
    const lane = isReadOnly(context) ? readOnly : mutating;
    if (lane.running >= lane.limit) throw overloaded(context, metrics);
    lane.running += 1;
    context.onClose(lane.leave);
  };
}
