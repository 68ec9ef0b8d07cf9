/**
 * Prerequisites of a replica: certificates and etcd. Those that are not configured are created in the data folder
 * (PKI) or started there (etcd).
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Logger } from '../observe/log.ts';
import { isWildcard, reachable } from './local-host.ts';
import type { CompletedConfig } from '../options/complete-config.ts';
import { credentialsOf } from './credentials-of.ts';
import { inDataFolder, lockDataFolder, openDataFolder } from '../local-etcd/data-folder.ts';
import { folderOfEtcd } from '../local-etcd/etcd-program.ts';
import { LocalEtcd } from '../local-etcd/etcd-process.ts';
import { keepPrivate } from '../local-etcd/private-files.ts';
import { ensurePki, type PkiOptions } from '../pki/folder.ts';
import { writeKubeconfig } from '../pki/kubeconfig-writer.ts';
import { tokenKeyName } from '../pki/plan.ts';
import type { PkiResult } from '../pki/types.ts';
import { removeLeftWork } from '../restore/left-work.ts';
import { finishSwap } from '../restore/swap.ts';
import type { EtcdTls } from '../storage/options.ts';
import type { Credentials, EtcdAccess, EtcdEndpoints } from '../options/credentials.ts';

export interface Prerequisites {
  readonly credentials: Credentials;
  readonly etcd: EtcdAccess;
  /** Writes the kubeconfig of the administrator; undefined if the PKI is not that of the data folder. */
  readonly writeKubeconfig: ((port: number) => Promise<string>) | undefined;
  /** The PKI of the data folder; undefined if nothing of it is used. */
  readonly pki: Pick<PkiOptions, 'folder' | 'hosts'> | undefined;
}

export interface PrerequisitesContext {
  readonly logger: Logger;
  readonly signal: AbortSignal;
  /** Collects what must be released, in reverse order, when the replica has stopped. */
  readonly owned: AsyncDisposableStack;
}

const withoutEtcd =
  'install etcd 3.4 or newer, name one that runs with --etcd-servers, or, for tests, run the command "testing", whose etcd in memory needs no program';

/** @throws StartError if the data folder, the PKI or the service's own etcd is not usable */
export async function preparePrerequisites(
  config: CompletedConfig,
  context: PrerequisitesContext,
): Promise<Prerequisites> {
  return inDataFolder(resolve(config.dataFolder), () => prepare(config, context));
}

async function prepare(config: CompletedConfig, context: PrerequisitesContext): Promise<Prerequisites> {
  const folder = resolve(config.dataFolder);
  const pkiFolder = join(folder, 'pki');
  const runsEtcd = config.etcd.servers.length === 0;
  const hasPki = runsEtcd || config.files.serving === undefined;
  if (hasPki) await openDataFolder(folder);
  if (runsEtcd) context.owned.defer(await lockDataFolder(folder));
  const pki = { folder: pkiFolder, hosts: isWildcard(config.bindAddress) ? [] : [config.bindAddress] };
  if (hasPki) noteRenewals(await ensurePki(pki), context.logger);
  if (hasPki) await keepPrivate(folder, context.logger);
  const given = await readCredentials(config, pkiFolder);
  const credentials = runsEtcd ? { ...given, ownEtcdTls: await readOwnEtcdTls(pkiFolder) } : given;
  const { servers } = config.etcd;
  const etcd = runsEtcd ? await ownEtcd({ folder, pkiFolder }, context) : { endpoints: servers };
  const { overrides } = config.etcd;
  return {
    credentials,
    etcd: {
      ...etcd,
      overrides: overrides.map((override) => ({
        endpoints: override.servers,
        collections: override.collections,
      })),
    },
    writeKubeconfig: kubeconfigWriter(config, folder, pkiFolder),
    pki: hasPki ? pki : undefined,
  };
}

function noteRenewals({ renewed, expiring }: PkiResult, logger: Logger): void {
  if (renewed.length > 0)
    logger.warn('certificates of the PKI are made anew; an authority keeps its key, so that clients go on', {
      renewed,
    });
  if (expiring.length > 0)
    logger.warn('authorities of the PKI expire within 30 days, and there is no key to renew them', {
      authorities: expiring,
    });
}

/** The configured certificate and CA bundles, and what the PKI has for those that are not configured. */
async function readCredentials({ files }: CompletedConfig, pkiFolder: string): Promise<Credentials> {
  const read = (name: string): Promise<string> => readFile(join(pkiFolder, name), 'utf8');
  if (files.serving !== undefined) return credentialsOf(files, undefined);
  const [certificate, key] = await Promise.all([read('server.crt'), read('server.key')]);
  const [ca, tokenKey] = await Promise.all([read('ca.crt'), read(`${tokenKeyName}.key`)]);
  return credentialsOf(files, { ca, server: { certificate, key }, tokenKey });
}

async function ownEtcd(
  folders: { readonly folder: string; readonly pkiFolder: string },
  { logger, signal, owned }: PrerequisitesContext,
): Promise<EtcdEndpoints> {
  const { folder, pkiFolder } = folders;
  const kept = await finishSwap(join(folder, 'etcd'));
  if (kept !== undefined) logger.warn('completed an interrupted restore', { kept });
  await tidyAfterRestore(join(folder, 'etcd'), logger);
  const programs = await folderOfEtcd({ folder, remedy: withoutEtcd, signal });
  const etcd = await LocalEtcd.start({ dataFolder: folder, pkiFolder, logger, signal, programs });
  owned.defer(() => etcd.close());
  return { endpoints: [etcd.endpoint], addressFile: etcd.addressFile };
}

/** What stays takes room and harms nothing else: the start goes on. */
async function tidyAfterRestore(dataDir: string, logger: Logger): Promise<void> {
  try {
    const removed = await removeLeftWork(dataDir);
    if (removed !== undefined) logger.warn('removed what an interrupted restore left', { removed });
  } catch (error) {
    logger.warn('what an interrupted restore left cannot be removed', { err: error });
  }
}

async function readOwnEtcdTls(pkiFolder: string): Promise<EtcdTls> {
  const [ca, cert, key] = await Promise.all([
    readFile(join(pkiFolder, 'etcd-ca.crt')),
    readFile(join(pkiFolder, 'etcd.crt')),
    readFile(join(pkiFolder, 'etcd.key')),
  ]);
  return { ca, cert, key };
}

/** Only the CA of the PKI verifies the certificate of the administrator, and its kubeconfig trusts only that CA. */
function kubeconfigWriter(
  config: CompletedConfig,
  folder: string,
  pkiFolder: string,
): Prerequisites['writeKubeconfig'] {
  const { serving, clientCa } = config.files;
  if (serving !== undefined || clientCa !== undefined) return undefined;
  return async (port) => {
    // Replicas with an external etcd may share the folder; each has its own file.
    const name = config.etcd.servers.length === 0 ? 'kubeconfig' : `kubeconfig-${String(port)}`;
    const path = join(folder, name);
    const server = `https://${reachable(config.bindAddress)}:${String(port)}`;
    await inDataFolder(folder, () => writeKubeconfig({ path, pkiFolder, client: 'admin', server }));
    return join(config.dataFolder, name);
  };
}
