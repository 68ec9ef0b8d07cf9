/** Where the program of an etcd is that is to be started: found on the machine, else fetched once for all of this user. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../base/errors.ts';
import { StartError } from '../base/start-error.ts';
import { fetchEtcd } from './fetch-etcd.ts';
import { findProgram } from './find-program.ts';

export interface EtcdProgramOptions {
  /** Where `npm start` puts programs, or another folder with a `bin`. */
  readonly folder: string;
  /** What can be done where there is none, said in the error. */
  readonly remedy: string;
  readonly signal: AbortSignal;
}

/**
 * A folder that has etcd in its `bin`, if PATH has none.
 * @throws StartError `ETCD_MISSING` that says what can be done; the reason of the signal
 */
export async function folderOfEtcd({ folder, remedy, signal }: EtcdProgramOptions): Promise<string> {
  if ((await findProgram('etcd', folder)) !== undefined) return folder;
  const fetched = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'orch-apiserver');
  if ((await findProgram('etcd', fetched)) !== undefined) return fetched;
  try {
    await fetchEtcd(fetched, signal);
    return fetched;
  } catch (error) {
    signal.throwIfAborted();
    const reason = `no etcd is in PATH or ${join(folder, 'bin')}, and none could be fetched (${messageOf(error)})`;
    throw StartError.of('ETCD_MISSING', reason, remedy);
  }
}
