/** `backup --output FILE`: a checked snapshot of etcd, which serves on meanwhile. */
import { runBackup, type BackupConfig } from '../restore/backup.ts';
import type { Fault } from '../base/start-error.ts';
import { serveFlags, type FlagDefinition } from '../options/serve-flags.ts';
import { plainly, tellFaults, type CliIo } from './io.ts';
import { commandOf, parseFlags } from './parse-flags.ts';
import { stopOnSignals } from './signals.ts';

/** Where etcd is, these say as they do to `serve`. */
const etcdFlagNames = ['data-dir', 'etcd-servers', 'etcd-cafile', 'etcd-certfile', 'etcd-keyfile'];

export const backupFlags: readonly FlagDefinition[] = [
  { name: 'output', value: 'FILE', default: '', description: 'file to write the snapshot to' },
  ...serveFlags.filter(({ name }) => etcdFlagNames.includes(name)),
];

const about =
  'Writes a snapshot of etcd to a file and checks it: of the etcd of the service that runs on the data folder, or of ' +
  'the members that --etcd-servers names. "restore" takes it.';

/** @throws StartError when there is no snapshot to be had, or the file cannot be written */
export async function runBackupCommand(words: readonly string[], io: CliIo): Promise<number> {
  const command = commandOf('orch-apiserver backup', about, backupFlags);
  if (words.includes('--help') || words.includes('-h')) {
    io.out(command.helpInformation().trimEnd());
    return 0;
  }
  const { texts, faults } = parseFlags(command, backupFlags, words);
  const config = configOf(texts);
  const all = [...faults, ...valueFaults(config)];
  if (all.length > 0) return tellFaults(io, all);
  const stop = stopOnSignals(plainly(io));
  try {
    await runBackup(config, { tell: io.out, signal: stop.signal });
    return 0;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    io.err('orch-apiserver: the backup was called off; nothing was written');
    return 130;
  } finally {
    stop.close();
  }
}

function configOf(texts: Readonly<Record<string, string>>): BackupConfig {
  const text = (name: string): string =>
    texts[name] ?? backupFlags.find((flag) => flag.name === name)?.default ?? '';
  return {
    output: text('output'),
    dataFolder: text('data-dir'),
    servers: text('etcd-servers').split(',').filter(Boolean),
    caFile: text('etcd-cafile'),
    certFile: text('etcd-certfile'),
    keyFile: text('etcd-keyfile'),
  };
}

function valueFaults({ output }: BackupConfig): Fault[] {
  if (output !== '') return [];
  const remedy = 'name the file: backup --output=FILE';
  return [{ code: 'FLAG_VALUE', cause: 'no --output is given', remedy }];
}
