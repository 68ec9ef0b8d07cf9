/**
 * Bounds how many requests are served at once, those that read and those that write apart: whoever comes beyond is told
 * to come again. Runs before authorization, since that may ask others, too.
 */
import { isOpenPath } from '../../authz/open-paths.ts';
import { tooManyRequests } from '../../meta/status.ts';
import { groupMasters } from '../../meta/user.ts';
import type { ServerMetrics } from '../../observe/server-metrics.ts';
import type { RequestContext } from '../context.ts';
import { isReadOnly, labelsOf } from './request-metrics.ts';
import type { Step } from './step.ts';

/** Of each kind; 0: as many as come. */
export interface InFlightLimits {
  readonly readOnly: number;
  readonly mutating: number;
}

const retryAfterSeconds = 1;

class Lane {
  readonly kind: keyof InFlightLimits;
  readonly limit: number;
  /** Requests that are counted and not over. */
  running = 0;

  constructor(kind: keyof InFlightLimits, limits: InFlightLimits) {
    this.kind = kind;
    this.limit = limits[kind] || Infinity;
  }

  readonly leave = (): void => {
    this.running -= 1;
  };
}

/** Refuses with 429; watches and connections are not counted, health and `system:masters` never refused. */
export function withInFlightLimits(limits: InFlightLimits, metrics: ServerMetrics): Step {
  const readOnly = new Lane('readOnly', limits);
  const mutating = new Lane('mutating', limits);
  return function inFlight(context: RequestContext): void {
    if (isUncounted(context)) return;
    const lane = isReadOnly(context) ? readOnly : mutating;
    if (lane.running >= lane.limit) {
      metrics.droppedRequests.cell({ request_kind: lane.kind }).add();
      metrics.requestTerminations.cell({ ...labelsOf(context), code: '429' }).add();
      throw tooManyRequests('too many requests, please try again later', retryAfterSeconds);
    }
    lane.running += 1;
    context.onClose(lane.leave);
  };
}

/** Subresources that are connections, which last as long as their clients like. */
const connections: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

function isUncounted({ longRunning, info, user }: RequestContext): boolean {
  if (longRunning || info.verb === 'proxy' || connections.has(info.subresource)) return true;
  return user.groups.includes(groupMasters) || (!info.isResourceRequest && isOpenPath(info.path));
}
