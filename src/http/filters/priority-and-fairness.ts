/**
 * API Priority and Fairness (KEP-1040): limits the requests in flight of each priority level and queues the requests
 * of each flow fairly. Runs before authorization, which may call webhooks.
 */
import type { Clock } from '../../base/clock.ts';
import type { Flow } from '../../flowcontrol/flow-schema.ts';
import type { RequestKind } from '../../flowcontrol/kind-load.ts';
import type { Seat } from '../../flowcontrol/seat.ts';
import type { RequestInfo } from '../../meta/request-info.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { RequestContext } from '../request-context.ts';
import { isHealth, overloaded } from './overload.ts';
import { isReadOnly } from './request-metrics.ts';
import type { Step } from './step.ts';
import { sendStatus } from '../respond.ts';
import { UnusedSeats, usualUnusedSeats } from './unused-seats.ts';

export interface FlowControl {
  /** The flow of a request by the current configuration objects. */
  flowOf(user: UserInfo, info: RequestInfo): Flow;
  /** Maximum time that a request waits for a seat. */
  readonly maxWaitMs: number;
}

/**
 * Rejects with 429 if a priority level or its queues are full, or the wait times out; health checks are exempt.
 * Watches and connections take no seat. A request that gets a seat at once does not wait for a turn of the event
 * loop.
 */
export function withPriorityAndFairness(
  flowControl: FlowControl,
  metrics: ServerMetrics,
  clock: Clock,
): Step {
  const inQueue = {
    mutating: metrics.currentInqueue.series({ request_kind: 'mutating' }),
    readOnly: metrics.currentInqueue.series({ request_kind: 'readOnly' }),
  };
  const unusedSeats = new UnusedSeats(usualUnusedSeats, clock, (context) => {
    endUnseated(context, metrics);
  });
  return function priorityAndFairness(context: RequestContext): void | Promise<void> {
    if (context.longRunning) return;
    const flow = flowControl.flowOf(context.user, context.info);
    context.flowHeaders = flow.headers;
    if (!flow.level.isExempt && isHealth(context)) return;
    const seat = flow.seat(kindOf(context));
    context.onClose(() => {
      flow.level.leave(seat);
    });
    if (!flow.level.enter(seat)) return wait(context, flow, seat);
    unusedSeats.add(context, flow.level, seat);
  };

  async function wait(context: RequestContext, flow: Flow, seat: Seat): Promise<void> {
    const waiting = inQueue[kindOf(context)];
    waiting.add();
    const refusal = await unusedSeats.during(flow.wait(seat, context, flowControl.maxWaitMs));
    waiting.add(-1);
    // The deadline may pass just before the seat is granted.
    if (refusal !== undefined || context.isCancelled()) throw overloaded(context, metrics);
    unusedSeats.add(context, flow.level, seat);
  }
}

/** Ends a request of a client that keeps too many requests waiting. */
function endUnseated(context: RequestContext, metrics: ServerMetrics): void {
  const error = overloaded(context, metrics);
  context.cancel();
  context.closeConnection();
  if (context.res.headersSent) context.res.destroy();
  else sendStatus(context, error.status);
}

function kindOf(context: RequestContext): RequestKind {
  return isReadOnly(context) ? 'readOnly' : 'mutating';
}
