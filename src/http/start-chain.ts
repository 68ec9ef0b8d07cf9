/**
 * The way of a request while the state is loaded from etcd, which may take minutes: health is answered, to everybody where
 * its path is open, below it to those whom a client certificate shows to be masters (nobody else can be known yet). All
 * else is 503 with `Retry-After`, on which clients try again.
 *
 *   audit id ─▶ request info ─▶ metrics ─▶ startup ─▶ authentication ─▶ authorization ─▶ health
 *                                          (503)      (where the path is not open)
 */
import type { Authenticator } from '../authn/types.ts';
import { createPrivilegedGroupAuthorizer } from '../authz/privileged-group-authorizer.ts';
import { createAlwaysAllowPathsAuthorizer } from '../authz/always-allow-paths-authorizer.ts';
import { isAlwaysAllowedPath } from '../authz/always-allow-paths.ts';
import { createUnionAuthorizer } from '../authz/union-authorizer.ts';
import { serviceUnavailable } from '../meta/status.ts';
import type { HealthChecks } from '../observe/health-checks.ts';
import type { Logger } from '../observe/log.ts';
import type { ServerMetrics } from '../observe/server-metrics.ts';
import type { RequestContext } from './context.ts';
import { withAuditId } from './filters/audit-id.ts';
import { withAuthentication } from './filters/authentication.ts';
import { withAuthorization } from './filters/authorization.ts';
import { withRequestInfo } from './filters/request-info.ts';
import { withRequestMetrics } from './filters/request-metrics.ts';
import type { Step } from './filters/step.ts';
import { healthRoutes } from './plain/health-routes.ts';
import { createPlainRoutes } from './plain/plain-route.ts';

/** A start that takes time. */
export interface Startup {
  /** Until then only health is answered. */
  readonly isLoaded: boolean;
  /** Knows clients without the state. */
  readonly certificates: Authenticator;
}

export interface StartChainParts extends Pick<Startup, 'certificates'> {
  readonly health: HealthChecks;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
}

/** Steps for `createChain`. */
export function createStartSteps(parts: StartChainParts): readonly Step[] {
  const { health, certificates: authenticator, metrics, logger } = parts;
  const authentication = withAuthentication({ authenticator, logger });
  const authorizer = createUnionAuthorizer([
    createAlwaysAllowPathsAuthorizer(),
    createPrivilegedGroupAuthorizer(),
  ]);
  // That the service is not ready yet is no news, however often a balancer asks.
  const expected: Pick<Logger, 'warn'> = {
    warn: (message, fields) => {
      logger.debug(message, fields);
    },
  };
  return [
    withAuditId(),
    withRequestInfo(),
    withRequestMetrics(metrics),
    refuseUnlessHealth,
    (context) => (isAlwaysAllowedPath(context.info.path) ? undefined : authentication(context)),
    withAuthorization(authorizer),
    createPlainRoutes(healthRoutes(health, expected)),
  ];
}

const healthPath = /^\/(?:healthz|livez|readyz)(?:\/|$)/;
const retryAfterSeconds = 5;

function refuseUnlessHealth({ info }: RequestContext): void {
  if (healthPath.test(info.path)) return;
  throw serviceUnavailable('the state is being loaded from etcd; please try again later', retryAfterSeconds);
}
