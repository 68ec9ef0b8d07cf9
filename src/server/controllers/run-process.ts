/** Controllers in a process of their own: any number of them may run, the one that holds the lease acts. */
import { namingProfiles, type NamingProfile } from '../../meta/naming.ts';
import { createLogger, type LogLevel } from '../../observe/log.ts';
import { runControllers } from './controller-manager.ts';
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
  const transport = new HttpsTransport(access);
  const log = controllerLog(createLogger({ level: config.logLevel }).child({ room: 'controllers' }));
  try {
    const client = createHttpsClient(transport, naming);
    await runControllers({ client, naming, names: config.controllers, log, metrics: noMetrics }, signal);
  } finally {
    transport.close();
  }
}
