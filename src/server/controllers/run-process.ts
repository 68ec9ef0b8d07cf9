/** Controllers in a process of their own: any number of them may run, the one that holds the lease acts. */
import { namingProfiles, type NamingProfile } from '../../meta/naming.ts';
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
import { startEndpoint } from './endpoint.ts';
import { createHttpsClient } from '../../client/https-client.ts';
import { HttpsTransport } from '../../webhook/https-transport.ts';
import { controllerLog, controllerMetrics } from './start.ts';

export interface ControllerProcessParts {
  readonly logger: Logger;
  /** Ends the controllers. */
  readonly signal: AbortSignal;
  /** Gets what has to be stopped, in reverse order. */
  readonly owned: AsyncDisposableStack;
  /** What the endpoint answers instead of this process' own metrics. */
  readonly shareMetrics: (own: Metrics) => MetricsText;
}

/**
 * Resolves when the controllers run, as far as this process leads.
 * @returns what rejects when they end by themselves
 * @throws StartError when the kubeconfig, a file or the address of the endpoint cannot be used
 */
export async function startControllerProcess(
  config: ControllersConfig,
  { logger, signal, owned, shareMetrics }: ControllerProcessParts,
): Promise<{ readonly running: Promise<void> }> {
  const naming = namingProfiles[config.naming];
  const files = await readControllersFiles(config);
  const accounts = provisionOf(files, naming);
  const metrics = new Metrics({ processMetrics: true });
  const families = createControllerMetrics(metrics);
  const shown = shareMetrics(metrics);
  const connectionMetrics = createConnectionMetrics(metrics);
  const endpointParts = { metrics: shown, connectionMetrics, logger, signal };
  owned.defer(await startEndpoint(config.endpoint, files.endpoint, endpointParts));
  const transport = new HttpsTransport(files.access, { userAgent: 'orch-apiserver-controllers' });
  owned.defer(() => {
    transport.close();
  });
  const client = createHttpsClient(transport, naming);
  const log = controllerLog(logger.child({ room: 'controllers' }));
  const about = { client, naming, names: config.controllers, log, accounts };
  const running = runControllers({ ...about, metrics: controllerMetrics(families) }, signal);
  owned.defer(() => running.catch(() => undefined));
  return { running };
}

/** Only tokens in Secrets are made here, and those have an issuer of their own. */
function provisionOf(
  { rootCa, signingKey: key }: ControllersFiles,
  naming: NamingProfile,
): AccountProvision | undefined {
  if (rootCa === undefined) return undefined;
  const about = { naming, issuer: defaultIssuer(naming), audiences: [] };
  return accountProvision(rootCa, key && new TokenIssuer({ key, ...about }));
}
