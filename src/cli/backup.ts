/** `backup --output FILE`: writes a verified snapshot of etcd while etcd keeps serving. */
import { runBackup, type BackupConfig } from '../restore/backup.ts';
import type { Fault } from '../base/start-error.ts';
import { serveFlags, type FlagDefinition } from '../options/serve-flags.ts';
import { plainly, tellFaults, type CliIo } from './io.ts';
import { commandOf, parseFlags } from './parse-flags.ts';
import { stopOnSignals } from './signals.ts';

/** Flags of `serve` that locate etcd. */
const etcdFlagNames = ['data-dir', 'etcd-servers', 'etcd-cafile', 'etcd-certfile', 'etcd-keyfile'];

export const backupFlags: readonly FlagDefinition[] = [
  { name: 'output', value: 'FILE', default: '', description: 'File to write the snapshot to. Required.' },
  ...serveFlags.filter(({ name }) => etcdFlagNames.includes(name)),
];

const about =
  'Writes a snapshot of etcd to a file and verifies it. The source is the etcd of the service that runs on the data folder, or ' +
  'the members of --etcd-servers. Use "restore" to restore it.';

/** @throws StartError when no snapshot can be taken or the file cannot be written */
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
    io.err('orch-apiserver: the backup was cancelled; nothing was written');
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
  const remedy = 'use backup --output=FILE';
  return [{ code: 'FLAG_VALUE', cause: '--output is missing', remedy }];
}
