/**
 * The handler of a process that serves no API: health for every client, metrics for clients with a valid certificate.
 *
 *   audit id ─▶ request info ─▶ authentication ─▶ authorization ─▶ health or metrics
 *                               (401: invalid credentials)           (403: none)
 */
import { readCertificates } from '../authn/certificate-chain.ts';
import { createClientCertificateAuthenticator } from '../authn/client-certificate.ts';
import { createRequestAuthenticator } from '../authn/union-authenticator.ts';
import { isAlwaysAllowedPath } from '../authz/always-allow-paths.ts';
import { noOpinion, type Authorizer } from '../authz/types.ts';
import { Arrivals } from '../base/arrivals.ts';
import type { Environment } from '../base/environment.ts';
import { groupAuthenticated } from '../meta/user.ts';
import type { HealthChecks } from '../observe/health-checks.ts';
import type { Logger } from '../observe/log.ts';
import type { MetricsText } from '../observe/metric-snapshot.ts';
import { createChain } from './chain.ts';
import { RequestContext, type ServerPhase } from './request-context.ts';
import { createShell, type ShellParts } from './express-shell.ts';
import { withAuditId } from './filters/audit-id.ts';
import { withAuthentication } from './filters/authentication.ts';
import { withAuthorization } from './filters/authorization.ts';
import { withRequestInfo } from './filters/with-request-info.ts';
import { healthRoutes } from './plain/health-routes.ts';
import { metricsRoute } from './plain/info-routes.ts';
import { createPlainRoutes } from './plain/plain-route.ts';
import { expectsContinue } from './refusals.ts';
import type { Handler } from './server.ts';

export interface ProcessHandlerParts {
  readonly environment: Environment;
  /** CA bundle of clients that may read metrics (PEM); undefined if no client may. */
  readonly clientCa: string | undefined;
  readonly health: HealthChecks;
  readonly metrics: MetricsText;
  readonly logger: Logger;
}

/** Every authenticated client may read everything, as there are only metrics. */
const authorizer: Authorizer = {
  authorize: ({ user, info }) =>
    isAlwaysAllowedPath(info.path) || user.groups.includes(groupAuthenticated)
      ? { decision: 'allow', reason: '' }
      : noOpinion,
};

/** Builds the handler; the server must verify client certificates. */
export function createProcessHandler(parts: ProcessHandlerParts): Handler {
  const { environment, clientCa = '', health, metrics, logger } = parts;
  const { clock } = environment;
  const authorities = readCertificates(clientCa);
  const authenticator = createRequestAuthenticator({
    authenticators: [createClientCertificateAuthenticator({ authorities: () => authorities, clock })],
    allowsAnonymous: () => true,
  });
  const routes = createPlainRoutes([...healthRoutes(health, logger, clock), metricsRoute(metrics)]);
  const serve = createChain(
    [
      withAuditId(),
      withRequestInfo(),
      withAuthentication({ authenticator, logger }),
      withAuthorization(authorizer),
      routes,
    ],
    logger,
  );
  const phase: ServerPhase = {
    ...environment,
    ...{
      authorizer,
      turns: new Arrivals(),
      isDraining: false,
      challenge: 'Certificate',
      compresses: false,
      keepsHeads: false,
    },
  };
  const listener: ShellParts['listener'] = (req, res) => {
    const context = new RequestContext(req, res, phase);
    context.expectsContinue = expectsContinue(req);
    void serve(context);
  };
  const drain = (): void => {
    phase.isDraining = true;
  };
  return Object.assign(createShell({ listener }), { drain });
}
