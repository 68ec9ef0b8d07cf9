/** Request timeout for all requests but watches: 504 before the response began, a closed connection after. */
import { steadyOf, type Clock } from '../../base/clock.ts';
import { FewATurn } from '../../base/few-a-turn.ts';
import { SlotSet } from '../../base/slot-set.ts';
import { quoted } from '../../base/short-text.ts';
import { badRequest, timedOut } from '../../meta/status.ts';
import type { RequestContext } from '../request-context.ts';
import { parseDurationMs } from '../../base/duration.ts';
import { sendStatus } from '../respond.ts';
import type { Step } from './step.ts';

export interface DeadlineOptions {
  readonly clock: Clock;
  /** Maximum duration of a request; the query parameter `timeout` may lower it. */
  readonly maxMs: number;
  /** Interval of the timer that finds overdue requests. */
  readonly sweepMs?: number;
  readonly onTimeout?: (context: RequestContext) => void;
}

export interface DeadlineStep {
  readonly step: Step;
  /** Stops the timer. */
  readonly close: () => void;
}

export function withDeadline(options: DeadlineOptions): DeadlineStep {
  const clock = steadyOf(options.clock);
  const running = new SlotSet<RequestContext>();
  const overdue = new FewATurn();
  const giveUpLater = (context: RequestContext): void => {
    overdue.add(() => {
      if (context.isClosed()) return;
      options.onTimeout?.(context);
      giveUp(context);
    });
  };
  const sweep = (): void => {
    const now = clock.monotonic();
    for (const context of running.members()) {
      if (context.overdueAt > now) continue;
      running.delete(context);
      giveUpLater(context);
    }
  };
  const timer = clock.setInterval(sweep, options.sweepMs ?? 250);
  timer.unref();
  const step = function deadline(context: RequestContext): void {
    if (context.longRunning) return;
    const startedAgo = options.clock.monotonic() - context.startedAt;
    context.overdueAt = clock.monotonic() - startedAgo + Math.min(options.maxMs, requestedMs(context));
    running.add(context);
    context.onClose(() => running.delete(context));
  };
  return {
    step,
    close: () => {
      clock.clear(timer);
    },
  };
}

function requestedMs(context: RequestContext): number {
  const asked = context.query.text === '' ? '' : context.query.get('timeout');
  if (asked === '') return Infinity;
  const duration = parseDurationMs(asked);
  if (duration === undefined || duration < 0) {
    throw badRequest(
      `invalid timeout specified in the request URL: ${quoted(asked)} is no duration like 30s`,
    );
  }
  return duration === 0 ? Infinity : duration;
}

function giveUp(context: RequestContext): void {
  context.cancel();
  if (context.res.headersSent) context.res.destroy();
  else sendStatus(context, timedOut('request did not complete within the allotted timeout').status);
}
