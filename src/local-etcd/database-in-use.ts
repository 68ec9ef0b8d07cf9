/**
 * Whether an etcd runs on a data folder. The lock of the folder holds a process id, which says nothing of processes in
 * other containers that share the volume; the lock that etcd takes on its database is one for all of them.
 */
import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../base/start-error.ts';
import { takeFileLock } from './file-lock.ts';

const { O_RDWR, O_NONBLOCK } = constants;

/** An etcd whose service was killed ends by itself. */
const endSeconds = 10;

/**
 * Waits for an etcd that is ending.
 * @throws StartError `DATA_FOLDER_IN_USE` if one goes on to run; the system's error if the database is not for this user
 */
export async function refuseDatabaseInUse(dataFolder: string, signal: AbortSignal): Promise<void> {
  const database = join(dataFolder, 'etcd', 'member', 'snap', 'db');
  if (!(await isFile(database))) return;
  await (await open(database, O_RDWR | O_NONBLOCK)).close();
  const lock = await lockIfPossible(database, signal);
  if (lock === 'unknown') return;
  if (lock !== undefined) return lock[Symbol.asyncDispose]();
  if (signal.aborted) return;
  throw StartError.of(
    'DATA_FOLDER_IN_USE',
    `another etcd runs on the data folder ${dataFolder}, perhaps that of a service in another container`,
    'stop that service, or choose another folder with --data-dir',
  );
}

/** Without the program `flock`, etcd itself waits for the lock. */
async function lockIfPossible(
  database: string,
  signal: AbortSignal,
): Promise<AsyncDisposable | 'unknown' | undefined> {
  try {
    return await takeFileLock(database, { seconds: endSeconds, signal });
  } catch (error) {
    if (error instanceof StartError) return 'unknown';
    throw error;
  }
}

/** Anything else is for etcd to complain of. */
function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
