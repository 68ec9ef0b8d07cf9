/** The folder in which a restore works, and what one that was killed leaves in it: up to three times the snapshot. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { takeFileLock } from '../local-etcd/file-lock.ts';
import { exists } from './swap.ts';

/** Name of the folder, below the data directory. */
export const workName = 'restore.work';

/**
 * Removes what a killed restore left in a data directory whose swap is finished (`finishSwap`); nothing while another
 * restore works there. Returns its path if it was removed.
 * @throws the system's error if it cannot be removed, StartError if `flock` is missing
 */
export async function removeLeftWork(dataDir: string): Promise<string | undefined> {
  const folder = join(dataDir, workName);
  if (!(await exists(folder))) return undefined;
  await using lock = await takeFileLock(dataDir);
  if (lock === undefined) return undefined;
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  return folder;
}
