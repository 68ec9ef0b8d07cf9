/**
 * The filter chain of every request, in order. A step passes the request on or throws; errors are turned into
 * responses here. The last step responds.
 *
 *   audit id        first, so that every response and log line has it
 *   request info    verb, resource and path; all later steps need it
 *   metrics         also counts requests that later steps reject
 *   GOAWAY          ends HTTP/2 connections now and then, so that clients spread over replicas
 *   deadline        request timeout; watches are exempt
 *   authentication  determines the user; removes the credentials
 *   tracing         a span for the rest of the request, if traces are configured
 *   audit           records events by the audit policy
 *   impersonation   replaces the user, if permitted
 *   body bytes      limits the bytes of large bodies in flight
 *   fairness        API Priority and Fairness, or the in-flight limits
 *   authorization   before the body is read, so that rejected requests cost little
 *   dispatch        resource verbs and non-resource URLs
 */
import type { Auditor } from '../audit/auditor.ts';
import type { Authorizer } from '../authz/types.ts';
import { SocketTokens } from '../authn/socket-token.ts';
import type { Clock } from '../base/clock.ts';
import type { Counts } from '../base/counts.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { Logger } from '../observe/log.ts';
import type { ImpersonationMetrics } from '../observe/impersonation-metrics.ts';
import type { ServerMetrics } from '../observe/server-metrics.ts';
import type { Tracer } from '../observe/tracing/tracer.ts';
import type { BodyLimits } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import type { RequestContext } from './request-context.ts';
import { withAudit, withFailedAuthenticationAudit } from './filters/audit.ts';
import { withAuditId } from './filters/audit-id.ts';
import { withAuthentication, type AuthenticationParts } from './filters/authentication.ts';
import { withAuthenticationMetrics } from './filters/authentication-metrics.ts';
import { timedFilter } from './filters/filter-duration.ts';
import { withBodyBytes } from './filters/body-bytes.ts';
import { withGoaway } from './filters/goaway.ts';
import { withAuthorization } from './filters/authorization.ts';
import { withInFlightLimits, type InFlightLimits } from './filters/in-flight.ts';
import { withImpersonation } from './filters/impersonation/impersonation.ts';
import { withPriorityAndFairness, type FlowControl } from './filters/priority-and-fairness.ts';
import { asSpan, verbSpanName, withTracing } from './filters/tracing.ts';
import { withRequestInfo } from './filters/with-request-info.ts';
import { withRequestMetrics, type MeasuredResources } from './filters/request-metrics.ts';
import type { Step } from './filters/step.ts';
import { sendError } from './respond.ts';

export interface ChainParts extends AuthenticationParts {
  readonly clock: Clock;
  readonly authorizer: Authorizer;
  /** Absent if auditing is disabled. */
  readonly auditor?: Auditor | undefined;
  readonly naming: NamingProfile;
  /** API Priority and Fairness; without it only `inFlight` applies. */
  readonly flowControl?: FlowControl | undefined;
  /** Absent if there is no limit. */
  readonly inFlight?: InFlightLimits;
  /** As `constrained` of impersonation. */
  readonly constrained: ImpersonationMetrics | undefined;
  readonly bodies: BodyBudget;
  /** Of all threads of the process that serve; absent: there is one. */
  readonly counts?: Counts | undefined;
  readonly bodyLimits: BodyLimits;
  /** Probability that a request ends its HTTP/2 connection; default 0. */
  readonly goawayChance?: number;
  readonly metrics: ServerMetrics;
  readonly measured?: MeasuredResources;
  /** Absent if requests are not traced. */
  readonly tracer?: Tracer | undefined;
  readonly deadline: Step;
  readonly dispatch: Step;
}

export function createSteps(parts: ChainParts): readonly Step[] {
  const { tracer } = parts;
  const shown = (filter: string, step: Step): Step => (tracer ? asSpan(() => filter, step) : step);
  const timed = (filter: string, step: Step): Step =>
    timedFilter(filter, shown(filter, step), parts.metrics.filterDuration);
  const [authentication, ...audit] = authenticationSteps(parts);
  const rest = [
    ...audit,
    timed('impersonation', withImpersonation(parts)),
    withBodyBytes(parts.bodies, parts.bodyLimits),
    timed(parts.flowControl ? 'priorityandfairness' : 'maxinflight', boundsOf(parts)),
    timed('authorization', withAuthorization(parts.authorizer)),
    tracer ? asSpan(verbSpanName, parts.dispatch) : parts.dispatch,
  ];
  return [
    withAuditId(),
    withRequestInfo(),
    withRequestMetrics(parts.metrics, parts.measured),
    ...((parts.goawayChance ?? 0) > 0 ? [withGoaway(parts.goawayChance ?? 0)] : []),
    parts.deadline,
    ...(tracer ? [withTracing(tracer, authentication, rest)] : [authentication, ...rest]),
  ];
}

const unlimited: InFlightLimits = { readOnly: 0, mutating: 0 };

function boundsOf({ clock, flowControl, inFlight, metrics, counts }: ChainParts): Step {
  if (flowControl) return withPriorityAndFairness(flowControl, metrics, clock);
  return withInFlightLimits(inFlight ?? unlimited, metrics, counts);
}

/** Without an audit policy there is no audit step. */
function authenticationSteps(parts: ChainParts): [authentication: Step, ...audit: Step[]] {
  const { auditor, naming } = parts;
  const socketTokens = new SocketTokens(naming.apiDomain);
  const measured = withAuthenticationMetrics(withAuthentication({ ...parts, socketTokens }), parts.metrics);
  const authentication = timedFilter('authentication', measured, parts.metrics.filterDuration);
  if (!auditor) return [authentication];
  return [withFailedAuthenticationAudit(authentication, { auditor, naming }), withAudit({ auditor, naming })];
}

/** Runs a request through the steps; never throws, never rejects. */
export function createChain(
  steps: readonly Step[],
  logger: Pick<Logger, 'error'>,
): (context: RequestContext) => Promise<void> {
  return async function serve(context: RequestContext): Promise<void> {
    try {
      for (const step of steps) {
        const pending = step(context);
        if (pending) await pending;
        if (context.isClosed()) return;
      }
    } catch (error) {
      const report = (unknown: unknown): void => {
        const { verb, path } = context.info;
        logger.error('a request failed', { auditId: context.auditId, verb, path, err: unknown });
      };
      try {
        sendError(context, error, report);
      } catch (unsendable) {
        report(unsendable);
        // The client sees that there is no answer; a rejection that nobody handles would end the process.
        context.res.destroy();
      }
    }
  };
}
