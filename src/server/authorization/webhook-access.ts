/** The file that `--authorization-webhook-config-file` names, kept as plain data, for other processes too. */
import { readKubeconfig, type ApiAccess } from '../controllers/kubeconfig.ts';
import { StartError, type Fault } from '../faults.ts';

export interface ServerAccess extends Omit<ApiAccess, 'server'> {
  /** `https://host:port/path` */
  readonly server: string;
}

/** undefined for `''`, and for a file that cannot be used: its faults are added. */
export async function readWebhookAccess(file: string, faults: Fault[]): Promise<ServerAccess | undefined> {
  if (file === '') return undefined;
  try {
    const access = await readKubeconfig(file, '--authorization-webhook-config-file');
    return { ...access, server: access.server.href };
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    faults.push(...error.faults);
    return undefined;
  }
}
