/** Runs controllers in a separate process; leader election chooses the active one. */
import type { PassiveClock } from '../../base/clock.ts';
import type { Environment } from '../../base/environment.ts';
import { namingProfiles, type NamingProfile } from '../../meta/naming.ts';
import { countRequests, createClientMetrics } from '../../observe/client-metrics.ts';
import { createControllerMetrics } from '../../observe/controller-metrics.ts';
import type { Logger } from '../../observe/log.ts';
import { Metrics } from '../../observe/metrics.ts';
import type { MetricsText } from '../../observe/metric-snapshot.ts';
import { runControllers } from './controller-manager.ts';
import { defaultIssuer } from '../../authn/service-account/token-claims.ts';
import { TokenIssuer } from '../../authn/service-account/token-issuer.ts';
import { accountProvision } from './account-provision.ts';
import type { AccountProvision } from './controller-manager.ts';
import { createConnectionMetrics } from '../../observe/server-metrics.ts';
import {
  readControllersFiles,
  type ControllersConfig,
  type ControllersFiles,
} from '../../options/controllers/controller-manager-options.ts';
import { startEndpoint } from './controller-endpoint.ts';
import { createHttpsClient } from '../../client/https-client.ts';
import { HttpsTransport } from '../../webhook/https-transport.ts';
import { controllerLog, controllerMetrics } from './start-controllers.ts';

export interface ControllerProcessParts {
  readonly environment: Environment;
  readonly logger: Logger;
  /** Stops the controllers. */
  readonly signal: AbortSignal;
  /** Collects what must be stopped, in reverse order. */
  readonly owned: AsyncDisposableStack;
  /** Replaces the metrics of this process at the endpoint. */
  readonly shareMetrics: (own: Metrics) => MetricsText;
}

/**
 * Resolves when the controllers are started, subject to leader election.
 * @returns a promise that rejects if they stop by themselves
 * @throws StartError if the kubeconfig, a file or the address of the endpoint cannot be used
 */
export async function startControllerProcess(
  config: ControllersConfig,
  { environment, logger, signal, owned, shareMetrics }: ControllerProcessParts,
): Promise<{ readonly running: Promise<void> }> {
  const naming = namingProfiles[config.naming];
  const files = await readControllersFiles(config);
  const accounts = provisionOf(files, naming, environment.clock);
  const metrics = new Metrics({ processMetrics: true });
  const families = createControllerMetrics(metrics);
  const shown = shareMetrics(metrics);
  const connectionMetrics = createConnectionMetrics(metrics);
  const endpointParts = { environment, metrics: shown, connectionMetrics, logger, signal };
  owned.defer(await startEndpoint(config.endpoint, files.endpoint, endpointParts));
  const transport = new HttpsTransport(files.access, {
    clock: environment.clock,
    userAgent: 'orch-apiserver-controllers',
    onSent: countRequests(createClientMetrics(metrics)),
  });
  owned.defer(() => {
    transport.close();
  });
  const client = createHttpsClient(environment, transport, naming);
  const log = controllerLog(logger.child({ component: 'controllers' }));
  const about = {
    ...environment,
    client,
    naming,
    names: config.controllers,
    log,
    accounts,
    unusedTokensMs: config.unusedTokensMs,
  };
  const running = runControllers(
    { ...about, metrics: controllerMetrics(families, environment.clock) },
    signal,
  );
  owned.defer(() => running.catch(() => undefined));
  return { running };
}

/** Only token Secrets are created here, which have a fixed issuer. */
function provisionOf(
  { rootCa, signingKey: key }: ControllersFiles,
  naming: NamingProfile,
  clock: PassiveClock,
): AccountProvision | undefined {
  if (rootCa === undefined) return undefined;
  const about = { naming, issuer: defaultIssuer(naming), audiences: [] };
  return accountProvision(rootCa, key && new TokenIssuer({ key, clock, ...about }));
}
