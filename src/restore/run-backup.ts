/** `backup`: a snapshot of a running etcd, verified before it is renamed to its final name. */
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../base/errors.ts';
import { StartError } from '../base/start-error.ts';
import { ownEndpoint } from '../local-etcd/etcd-command.ts';
import type { BackupConfig, RestoreContext } from './config.ts';
import { findEtcdTools, runTool, type EtcdTools } from './etcd-tools.ts';
import { assertReplaceable } from './output-file.ts';
import { checkSnapshot } from './snapshot-check.ts';
import { syncPath } from './sync-path.ts';
import { tidy } from './tidy.ts';

/** Of etcdctl. */
const answerDeadline = '--command-timeout=10s';

/** @throws StartError if no member returns a snapshot, or the file cannot be written */
export async function runBackup(config: BackupConfig, { print, signal }: RestoreContext): Promise<void> {
  const output = resolve(config.output);
  await assertReplaceable(output);
  const tools = await findEtcdTools(resolve(config.dataFolder), signal);
  const workFolder = await makeWorkFolder(output);
  try {
    const path = join(workFolder, 'snapshot.db');
    await saveFromAny(config, { tools, path, signal, print });
    const { bytes, current } = await checkSnapshot(path, { tools, signal, skipHashCheck: false });
    await syncPath(path);
    await rename(path, output);
    await syncPath(dirname(output));
    print(`${output} holds the state at revision ${current}: ${bytes} bytes, verified.`);
  } finally {
    await tidy(workFolder, { print }, () => rm(workFolder, { recursive: true, force: true }));
  }
}

/** In the same folder, so that the file can be renamed. */
async function makeWorkFolder(output: string): Promise<string> {
  try {
    return await mkdtemp(`${output}.work-`);
  } catch (error) {
    const remedy = 'use a file in a writable folder';
    throw StartError.of('FILE_UNWRITABLE', `${output}: ${messageOf(error)}`, remedy, error);
  }
}

interface SaveOptions extends RestoreContext {
  readonly tools: EtcdTools;
  readonly path: string;
}

/** A snapshot is taken from any one member. */
async function saveFromAny(config: BackupConfig, { tools, path, signal, print }: SaveOptions): Promise<void> {
  const endpoints = config.servers.length === 0 ? [ownEndpoint] : config.servers;
  let failure: unknown;
  for (const endpoint of endpoints) {
    try {
      const member = [`--endpoints=${endpoint}`, ...tlsWords(config)];
      // The service's own etcd listens on a socket in the data folder.
      const place = config.servers.length === 0 ? { cwd: resolve(config.dataFolder) } : {};
      const how = { signal, ...place };
      // A snapshot waits without end for a member that is not there; once connected it notices when that goes silent.
      await runTool(tools.etcdctl, [...member, answerDeadline, 'endpoint', 'status'], how);
      await runTool(tools.etcdctl, [...member, 'snapshot', 'save', path], how);
      return;
    } catch (error) {
      signal.throwIfAborted();
      print(`${endpoint} returned no snapshot: ${messageOf(error)}`);
      failure = error;
    }
  }
  const remedy = 'start it, or set --etcd-servers';
  throw StartError.of('ETCD_UNREACHABLE', 'no etcd member returned a snapshot', remedy, failure);
}

function tlsWords({ caFile, certFile, keyFile }: BackupConfig): string[] {
  const files = { cacert: caFile, cert: certFile, key: keyFile };
  return Object.entries(files)
    .filter(([, file]) => file !== '')
    .map(([name, file]) => `--${name}=${resolve(file)}`);
}
