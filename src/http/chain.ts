/**
 * The way of every request, in order. A step lets pass or throws; what is thrown is answered here, so no step
 * handles errors of another. The last step answers.
 *
 *   audit id        first, so that every answer and log line names it
 *   request info    what is asked for; needed by all that follows
 *   metrics         counts what the steps below refuse, too
 *   deadline        bounds the time of everything below; watches are exempt
 *   authentication  who asks; removes the credentials
 *   audit           what is told of the request, by a policy; watches its answer
 *   impersonation   who the client wants to be taken for, where it may
 *   body bytes      how many bytes of large bodies are in work at once
 *   fairness        how many are served at once, and who waits for whom; or only how many
 *   authorization   before the body is read: strangers must not make the server work
 *   dispatch        resource verbs and plain routes
 */
import type { Auditor } from '../audit/auditor.ts';
import type { Authorizer } from '../authz/types.ts';
import type { NamingProfile } from '../meta/naming.ts';
import type { Logger } from '../observe/log.ts';
import type { ServerMetrics } from '../observe/server-metrics.ts';
import type { BodyLimits } from './body.ts';
import type { BodyBudget } from './body-budget.ts';
import type { RequestContext } from './context.ts';
import { withAudit, withFailedAuthenticationAudit } from './filters/audit.ts';
import { withAuditId } from './filters/audit-id.ts';
import { withAuthentication, type AuthenticationParts } from './filters/authentication.ts';
import { withBodyBytes } from './filters/body-bytes.ts';
import { withAuthorization } from './filters/authorization.ts';
import { withInFlightLimits, type InFlightLimits } from './filters/in-flight.ts';
import { withImpersonation } from './filters/impersonation.ts';
import { withPriorityAndFairness, type FlowControl } from './filters/priority-and-fairness.ts';
import { withRequestInfo } from './filters/request-info.ts';
import { withRequestMetrics } from './filters/request-metrics.ts';
import type { Step } from './filters/step.ts';
import { sendError } from './respond.ts';

export interface ChainParts extends AuthenticationParts {
  readonly authorizer: Authorizer;
  /** Absent: nobody wants to know. */
  readonly auditor?: Auditor | undefined;
  readonly naming: NamingProfile;
  /** Absent: `inFlight` is all that bounds. */
  readonly flowControl?: FlowControl | undefined;
  /** Absent: as many as come. */
  readonly inFlight?: InFlightLimits;
  /** API group of attributes of users, for those who impersonate. */
  readonly attributesGroup: string;
  readonly bodies: BodyBudget;
  readonly bodyLimits: BodyLimits;
  readonly metrics: ServerMetrics;
  readonly deadline: Step;
  readonly dispatch: Step;
}

export function createSteps(parts: ChainParts): readonly Step[] {
  return [
    withAuditId(),
    withRequestInfo(),
    withRequestMetrics(parts.metrics),
    parts.deadline,
    ...authenticationSteps(parts),
    withImpersonation(parts.authorizer, parts.attributesGroup),
    withBodyBytes(parts.bodies, parts.bodyLimits),
    boundsOf(parts),
    withAuthorization(parts.authorizer),
    parts.dispatch,
  ];
}

const unlimited: InFlightLimits = { readOnly: 0, mutating: 0 };

function boundsOf({ flowControl, inFlight, metrics }: ChainParts): Step {
  if (flowControl) return withPriorityAndFairness(flowControl, metrics);
  return withInFlightLimits(inFlight ?? unlimited, metrics);
}

/** Without an audit policy nothing is asked and nothing costs. */
function authenticationSteps(parts: ChainParts): Step[] {
  const { auditor, naming } = parts;
  const authentication = withAuthentication(parts);
  if (!auditor) return [authentication];
  return [withFailedAuthenticationAudit(authentication, { auditor, naming }), withAudit({ auditor, naming })];
}

/** Takes a request through the steps; never throws, never rejects. */
export function createChain(
  steps: readonly Step[],
  logger: Logger,
): (context: RequestContext) => Promise<void> {
  return async function serve(context: RequestContext): Promise<void> {
    try {
      for (const step of steps) {
        const pending = step(context);
        if (pending) await pending;
        if (context.isClosed()) return;
      }
    } catch (error) {
      sendError(context, error, (unknown) => {
        logger.error('a request failed', {
          auditId: context.auditId,
          verb: context.info.verb,
          path: context.info.path,
          err: unknown,
        });
      });
    }
  };
}
