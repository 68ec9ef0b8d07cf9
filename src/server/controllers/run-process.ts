/** Controllers in a process of their own: any number of them may run, the one that holds the lease acts. */
import { namingProfiles, type NamingProfile } from '../../meta/naming.ts';
import { createControllerMetrics } from '../../observe/controller-metrics.ts';
import type { Logger, LogLevel } from '../../observe/log.ts';
import { Metrics } from '../../observe/metrics.ts';
import type { MetricsText } from '../../observe/snapshot.ts';
import { runControllers } from './controller-manager.ts';
import { defaultIssuer } from '../../authn/service-account/claims.ts';
import { TokenIssuer } from '../../authn/service-account/issuer.ts';
import { readSigningKey } from '../../authn/service-account/keys.ts';
import { StartError, type Fault } from '../faults.ts';
import { FileCheck } from '../file-check.ts';
import { accountProvision } from './account-provision.ts';
import type { AccountProvision } from './controller-manager.ts';
import type { ControllerName } from './controller-names.ts';
import { createConnectionMetrics } from '../../observe/server-metrics.ts';
import { readEndpointFiles, startEndpoint, type EndpointConfig, type EndpointFiles } from './endpoint.ts';
import { createHttpsClient } from './https-client.ts';
import { HttpsTransport } from './https-transport.ts';
import type { ApiAccess } from './kubeconfig.ts';
import { controllerLog, controllerMetrics } from './start.ts';

export interface ControllersConfig {
  readonly kubeconfig: string;
  readonly naming: NamingProfile['name'];
  readonly controllers: ReadonlySet<ControllerName>;
  readonly logLevel: LogLevel;
  /** '' in these: no tokens are made for accounts, and no authority is told of. */
  readonly signingKeyFile: string;
  readonly rootCaFile: string;
  readonly endpoint: EndpointConfig;
}

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
  const { access, accounts, endpoint } = await readFiles(config, naming);
  const metrics = new Metrics({ processMetrics: true });
  const families = createControllerMetrics(metrics);
  const shown = shareMetrics(metrics);
  const connectionMetrics = createConnectionMetrics(metrics);
  const endpointParts = { metrics: shown, connectionMetrics, logger, signal };
  owned.defer(await startEndpoint(config.endpoint, endpoint, endpointParts));
  const transport = new HttpsTransport(access, { userAgent: 'orch-apiserver-controllers' });
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

interface ProcessFiles {
  readonly access: ApiAccess;
  readonly accounts: AccountProvision | undefined;
  readonly endpoint: EndpointFiles;
}

/** @throws StartError with all that is wrong with them */
async function readFiles(config: ControllersConfig, naming: NamingProfile): Promise<ProcessFiles> {
  const faults: Fault[] = [];
  const check = new FileCheck(faults);
  const access = await check.access(config.kubeconfig, '--kubeconfig');
  const accounts = await readProvision(config, naming, check);
  const endpoint = await readEndpointFiles(config.endpoint, check);
  if (access === undefined || faults.length > 0) throw new StartError(faults);
  return { access, accounts, endpoint };
}

/** What is wrong with the files goes to the check. */
async function readProvision(
  { signingKeyFile, rootCaFile }: ControllersConfig,
  naming: NamingProfile,
  check: FileCheck,
): Promise<AccountProvision | undefined> {
  const flag = '--service-account-private-key-file';
  const rule = { flag, code: 'TOKEN_KEY_INVALID', parse: readSigningKey } as const;
  const key = await check.checkedText(signingKeyFile, rule);
  const rootCa = await check.authorities(rootCaFile, '--root-ca-file');
  if (rootCa === undefined) return undefined;
  // Only tokens in Secrets are made here, and those have an issuer of their own.
  const about = { naming, issuer: defaultIssuer(naming), audiences: [] };
  const tokens = key === undefined ? undefined : new TokenIssuer({ key: readSigningKey(key), ...about });
  return accountProvision(rootCa.toString('utf8'), tokens);
}
