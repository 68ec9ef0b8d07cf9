/** A real etcd with a folder of its own, which ends with the last control plane that uses it. */
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { folderOfEtcd } from '../../../local-etcd/etcd-program.ts';
import { LocalEtcd } from '../../../local-etcd/etcd-process.ts';
import type { Logger } from '../../../observe/log.ts';
import type { EtcdEndpoints } from '../../../options/credentials.ts';
import { ensurePki } from '../../../pki/folder.ts';
import type { EtcdTls } from '../../../storage/options.ts';

/** Where `npm start` puts programs. */
const ownPrograms = resolve('.orch');
const remedy =
  'install etcd 3.4 or newer, give the URLs of one that runs as `etcdServers`, or leave out `engine`: the one in memory needs no program';

/** Where an etcd is, and how long it is needed. */
export interface EtcdLease {
  readonly access: EtcdEndpoints;
  readonly tls: EtcdTls | undefined;
  /** One more that uses it; each calls `leave` once. */
  join(): void;
  leave(): Promise<void>;
}

/** An etcd that others run. */
export function givenEtcd(servers: readonly string[], tls: EtcdTls | undefined): EtcdLease {
  return {
    access: { endpoints: [...servers], ...(tls && { tls }) },
    tls,
    join: () => undefined,
    leave: () => Promise.resolve(),
  };
}

/**
 * Starts an etcd in a folder, which is removed with it.
 * @throws StartError if there is no program, or it does not come up
 */
export async function startEtcd(folder: string, logger: Logger): Promise<EtcdLease> {
  const { signal } = new AbortController();
  const programs = await folderOfEtcd({ folder: ownPrograms, remedy, signal });
  const pkiFolder = join(folder, 'pki');
  await ensurePki({ folder: pkiFolder, hosts: [] });
  const etcd = await LocalEtcd.start({ dataFolder: folder, pkiFolder, logger, signal, programs });
  const read = (name: string): Promise<Buffer> => readFile(join(pkiFolder, name));
  const [ca, cert, key] = await Promise.all([read('etcd-ca.crt'), read('etcd.crt'), read('etcd.key')]);
  const tls = { ca, cert, key };
  let users = 1;
  return {
    access: { endpoints: [etcd.endpoint], addressFile: etcd.addressFile, tls },
    tls,
    join: () => {
      users += 1;
    },
    leave: async () => {
      users -= 1;
      if (users > 0) return;
      await etcd.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
