/** Finds the etcd binary. */
import { StartError } from '../base/start-error.ts';
import { findProgram } from './find-program.ts';

/**
 * The first etcd in PATH and `<data folder>/bin`.
 * @throws StartError if there is none
 */
export async function findEtcdBinary(dataFolder: string, path?: string): Promise<string> {
  const found = await findProgram('etcd', dataFolder, path);
  if (found !== undefined) return found;
  throw StartError.of(
    'ETCD_MISSING',
    'no etcd binary is in PATH',
    'install etcd 3.4 or newer, or name a running one with --etcd-servers',
  );
}
