/** Where the program of the engine `etcd` is: found on the machine, else fetched once for all tests of this user. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { messageOf } from '../../../base/errors.ts';
import { StartError } from '../../../base/start-error.ts';
import { fetchEtcd } from '../../../local-etcd/fetch-etcd.ts';
import { findProgram } from '../../../local-etcd/find-program.ts';

/** Where `npm start` puts programs. */
const ownPrograms = resolve('.orch');

/**
 * A folder that has etcd in its `bin`, if PATH has none.
 * @throws StartError `ETCD_MISSING` that says what can be done
 */
export async function folderOfEtcd(): Promise<string> {
  if ((await findProgram('etcd', ownPrograms)) !== undefined) return ownPrograms;
  const fetched = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'orch-apiserver');
  if ((await findProgram('etcd', fetched)) !== undefined) return fetched;
  try {
    await fetchEtcd(fetched);
    return fetched;
  } catch (error) {
    throw StartError.of(
      'ETCD_MISSING',
      `no etcd is in PATH or .orch/bin, and none could be fetched (${messageOf(error)})`,
      'install etcd 3.4 or newer, give the URLs of one that runs as `etcdServers`, or leave out `engine`: the one in memory needs no program',
    );
  }
}
