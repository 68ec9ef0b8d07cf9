/** The data folder is for its owner alone: what was left open to others, by hand or by another program, is closed. */
import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../observe/log.ts';

const everyoneElse = 0o077;

/**
 * Takes the rights of group and others from the folder, from those of etcd and the PKI in it, from private keys and
 * kubeconfigs. What belongs to another user stays as it is: that user decides.
 */
export async function keepPrivate(dataFolder: string, logger: Logger): Promise<void> {
  const pki = join(dataFolder, 'pki');
  const paths = [
    dataFolder,
    ...['etcd', 'pki', 'etcd.log', 'instance.lock'].map((name) => join(dataFolder, name)),
    ...(await namesIn(dataFolder)).filter((name) => /^kubeconfig/.test(name)).map((n) => join(dataFolder, n)),
    ...(await namesIn(pki)).filter((name) => name.endsWith('.key')).map((name) => join(pki, name)),
  ];
  for (const path of paths) if (await close(path)) logger.warn('closed to other users', { path });
}

/** Whether it was open. */
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
