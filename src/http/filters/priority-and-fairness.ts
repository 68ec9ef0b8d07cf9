/**
 * API Priority and Fairness (KEP-1040): limits the requests in flight of each priority level and queues the requests
 * of each flow fairly. Runs before authorization, which may call webhooks.
 */
import type { Clock } from '../../base/clock.ts';
import type { Flow } from '../../flowcontrol/flow-schema.ts';
import type { RequestKind } from '../../flowcontrol/kind-load.ts';
import type { Seat } from '../../flowcontrol/seat.ts';
import type { WatchCounts } from '../../flowcontrol/watch-counts.ts';
import type { WorkEstimate } from '../../flowcontrol/work-estimate.ts';
import type { Query } from '../query.ts';
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
  /** What requests cost; absent: each takes one seat, and watches none (release 1.21). */
  readonly work?: RequestWork | undefined;
}

export interface RequestWork {
  estimate(info: RequestInfo, query: Query, flow: Flow): WorkEstimate;
  /** The watches there are, for what writes cost them. */
  readonly watches: WatchCounts;
}

/**
 * Rejects with 429 if a priority level or its queues are full, or the wait times out; health checks are exempt.
 * Connections take no seat, and watches only until they have their initial state. A request that gets a seat at once does not wait for a turn of the event
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
    const { work } = flowControl;
    if (context.longRunning && !(work && isWatch(context))) return;
    const flow = flowControl.flowOf(context.user, context.info);
    context.flowHeaders = flow.headers;
    if (!flow.level.isExempt && isHealth(context)) return;
    const type = context.info.verb === 'watch' ? 'watch' : 'regular';
    const seat = flow.seat(kindOf(context), work?.estimate(context.info, context.query, flow), type);
    const leave = (): void => {
      flow.level.leave(seat);
    };
    context.onClose(leave);
    if (context.longRunning) context.onBegun = leave;
    if (!flow.level.enter(seat)) return wait(context, flow, seat);
    hasSeat(context, flow, seat);
  };

  async function wait(context: RequestContext, flow: Flow, seat: Seat): Promise<void> {
    const waiting = inQueue[kindOf(context)];
    waiting.add();
    const since = clock.monotonic();
    const refusal = await unusedSeats.during(flow.wait(seat, context, flowControl.maxWaitMs));
    waiting.add(-1);
    context.waitedMs = clock.monotonic() - since;
    // The deadline may pass just before the seat is granted.
    if (refusal !== undefined || context.isCancelled()) throw overloaded(context, metrics);
    hasSeat(context, flow, seat);
  }

  /** A watch gives its seat back by itself. */
  function hasSeat(context: RequestContext, flow: Flow, seat: Seat): void {
    if (!context.longRunning) unusedSeats.add(context, flow.level, seat);
    else if (flowControl.work) context.onClose(flowControl.work.watches.add(context.info, context.query));
  }
}

function isWatch({ info }: RequestContext): boolean {
  return info.isResourceRequest && info.verb === 'watch';
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
