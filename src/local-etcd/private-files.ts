/** Restricts the data folder to its owner: removes permissions that another program or a user has added. */
import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../observe/log.ts';

const everyoneElse = 0o077;

/**
 * Removes the permissions of group and others from the folder, the etcd and PKI folders, private keys and
 * kubeconfigs. Files of other users are unchanged.
 */
export async function keepPrivate(dataFolder: string, logger: Logger): Promise<void> {
  const pki = join(dataFolder, 'pki');
  const paths = [
    dataFolder,
    ...['etcd', 'pki', 'etcd.log', 'instance.lock'].map((name) => join(dataFolder, name)),
    ...(await namesIn(dataFolder)).filter((name) => /^kubeconfig/.test(name)).map((n) => join(dataFolder, n)),
    ...(await namesIn(pki)).filter((name) => name.endsWith('.key')).map((name) => join(pki, name)),
  ];
  for (const path of paths)
    if (await close(path)) logger.warn('removed the permissions of other users', { path });
}

/** Returns whether it was accessible. */
async function close(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || found.uid !== process.getuid?.() || (found.mode & everyoneElse) === 0)
    return false;
  await chmod(path, found.mode & 0o7777 & ~everyoneElse);
  return true;
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
