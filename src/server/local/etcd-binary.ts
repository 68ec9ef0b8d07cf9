/** Finds the etcd binary. */
import { access, constants } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { StartError } from '../faults.ts';

/**
 * The first etcd of PATH and `<data folder>/bin`.
 * @throws StartError when there is none
 */
export async function findEtcdBinary(dataFolder: string, path = process.env['PATH'] ?? ''): Promise<string> {
  for (const folder of [...path.split(delimiter).filter(Boolean), join(dataFolder, 'bin')]) {
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
