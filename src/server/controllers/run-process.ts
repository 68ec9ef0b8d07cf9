/** Controllers in a process of their own: any number of them may run, the one that holds the lease acts. */
import { namingProfiles, type NamingProfile } from '../../meta/naming.ts';
import { createLogger, type LogLevel } from '../../observe/log.ts';
import { runControllers } from './controller-manager.ts';
import { defaultIssuer } from '../../authn/service-account/claims.ts';
import { TokenIssuer } from '../../authn/service-account/issuer.ts';
import { readSigningKey } from '../../authn/service-account/keys.ts';
import { StartError, type Fault } from '../faults.ts';
import { FileCheck } from '../file-check.ts';
import { accountProvision } from './account-provision.ts';
import type { AccountProvision } from './controller-manager.ts';
import type { ControllerName } from './controller-names.ts';
import { createHttpsClient } from './https-client.ts';
import { HttpsTransport } from './https-transport.ts';
import { readKubeconfig } from './kubeconfig.ts';
import { controllerLog } from './start.ts';

export interface ControllersConfig {
  readonly kubeconfig: string;
  readonly naming: NamingProfile['name'];
  readonly controllers: ReadonlySet<ControllerName>;
  readonly logLevel: LogLevel;
  /** '' in these: no tokens are made for accounts, and no authority is told of. */
  readonly signingKeyFile: string;
  readonly rootCaFile: string;
}

const noMetrics = {
  depth: (): void => undefined,
  worked: (): void => undefined,
  leading: (): void => undefined,
};

/** Runs until the signal. @throws StartError when the kubeconfig cannot be used */
export async function runControllerProcess(config: ControllersConfig, signal: AbortSignal): Promise<void> {
  const access = await readKubeconfig(config.kubeconfig);
  const naming = namingProfiles[config.naming];
  const accounts = await readProvision(config, naming);
  const transport = new HttpsTransport(access);
  const log = controllerLog(createLogger({ level: config.logLevel }).child({ room: 'controllers' }));
  try {
    const client = createHttpsClient(transport, naming);
    await runControllers(
      { client, naming, names: config.controllers, log, metrics: noMetrics, accounts },
      signal,
    );
  } finally {
    transport.close();
  }
}

/** @throws StartError when a file cannot be used */
async function readProvision(
  { signingKeyFile, rootCaFile }: ControllersConfig,
  naming: NamingProfile,
): Promise<AccountProvision | undefined> {
  const faults: Fault[] = [];
  const check = new FileCheck(faults);
  const flag = '--service-account-private-key-file';
  const rule = { flag, code: 'TOKEN_KEY_INVALID', parse: readSigningKey } as const;
  const key = await check.checkedText(signingKeyFile, rule);
  const rootCa = await check.authorities(rootCaFile, '--root-ca-file');
  if (faults.length > 0) throw new StartError(faults);
  if (rootCa === undefined) return undefined;
  // Only tokens in Secrets are made here, and those have an issuer of their own.
  const about = { naming, issuer: defaultIssuer(naming), audiences: [] };
  const tokens = key === undefined ? undefined : new TokenIssuer({ key: readSigningKey(key), ...about });
  return accountProvision(rootCa.toString('utf8'), tokens);
}
