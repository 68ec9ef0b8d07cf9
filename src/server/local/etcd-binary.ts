/** Finds the etcd binary. */
import { access, constants } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { StartError } from '../faults.ts';

/**
 * The first etcd of `<data folder>/bin` and PATH.
 * @throws StartError when there is none
 */
export async function findEtcdBinary(dataFolder: string, path = process.env['PATH'] ?? ''): Promise<string> {
  for (const folder of [join(dataFolder, 'bin'), ...path.split(delimiter).filter(Boolean)]) {
    const candidate = resolve(folder, 'etcd');
    if (await isExecutable(candidate)) return candidate;
  }
  throw StartError.of(
    'ETCD_MISSING',
    'no etcd binary is on PATH',
    'install etcd 3.4 or newer, or name a running one with --etcd-servers',
  );
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
