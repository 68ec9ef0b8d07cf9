/**
 * The filter chain while the state is loaded from etcd, which may take minutes. The open health paths serve every
 * client, paths below them only clients with a certificate of `system:masters`, as no other user can be authorized
 * yet. Other requests get 503 with `Retry-After`.
 *
 *   audit id ─▶ request info ─▶ metrics ─▶ startup ─▶ authentication ─▶ authorization ─▶ health
 *                                          (503)      (unless the path is open)
 */
import type { Clock } from '../base/clock.ts';
import type { Authenticator } from '../authn/types.ts';
import { createPrivilegedGroupAuthorizer } from '../authz/privileged-group-authorizer.ts';
import { createAlwaysAllowPathsAuthorizer } from '../authz/always-allow-paths-authorizer.ts';
import { isAlwaysAllowedPath } from '../authz/always-allow-paths.ts';
import { createUnionAuthorizer } from '../authz/union-authorizer.ts';
import { serviceUnavailable } from '../meta/status.ts';
import type { HealthChecks } from '../observe/health-checks.ts';
import type { Logger } from '../observe/log.ts';
import type { ServerMetrics } from '../observe/server-metrics.ts';
import type { RequestContext } from './request-context.ts';
import { withAuditId } from './filters/audit-id.ts';
import { withAuthentication } from './filters/authentication.ts';
import { withAuthorization } from './filters/authorization.ts';
import { withRequestInfo } from './filters/with-request-info.ts';
import { withRequestMetrics } from './filters/request-metrics.ts';
import type { Step } from './filters/step.ts';
import { healthRoutes } from './plain/health-routes.ts';
import { createPlainRoutes } from './plain/plain-route.ts';

/** A start in progress. */
export interface Startup {
  /** Until then only health checks are served. */
  readonly isLoaded: boolean;
  /** Authenticates clients without the state. */
  readonly certificates: Authenticator;
}

export interface StartChainParts extends Pick<Startup, 'certificates'> {
  readonly health: HealthChecks;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Steps for `createChain`. */
export function createStartSteps(parts: StartChainParts): readonly Step[] {
  const { health, certificates: authenticator, metrics, logger, clock } = parts;
  const authentication = withAuthentication({ authenticator, logger });
  const authorizer = createUnionAuthorizer([
    createAlwaysAllowPathsAuthorizer(),
    createPrivilegedGroupAuthorizer(),
  ]);
  // Failed readiness checks are expected during the start and not logged.
  const debug: Logger['debug'] = (message, fields) => {
    logger.debug(message, fields);
  };
  const expected = { info: debug, warn: debug };
  return [
    withAuditId(),
    withRequestInfo(),
    withRequestMetrics(metrics),
    refuseUnlessHealth(clock),
    (context) => (isAlwaysAllowedPath(context.info.path) ? undefined : authentication(context)),
    withAuthorization(authorizer),
    createPlainRoutes(healthRoutes(health, expected, clock)),
  ];
}

const healthPath = /^\/(?:healthz|livez|readyz)(?:\/|$)/;
const mostSeconds = 5;

/**
 * Seconds after which a client tries again: as many as the load has taken so far, as most loads end within a second, and a long
 * one goes on for long.
 * @param ms milliseconds since the load began
 */
export function retryAfterSeconds(ms: number): number {
  return Math.min(mostSeconds, Math.max(1, Math.ceil(ms / 1_000)));
}

function refuseUnlessHealth(clock: Clock): Step {
  const begun = clock.monotonic();
  return ({ info }: RequestContext): void => {
    if (healthPath.test(info.path)) return;
    throw serviceUnavailable(
      'the state is being loaded from etcd; please try again later',
      retryAfterSeconds(clock.monotonic() - begun),
    );
  };
}
