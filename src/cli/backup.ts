/** `backup --output FILE`: writes a verified snapshot of etcd while etcd keeps serving. */
import { backupConfig, backupFlags } from '../options/commands/backup-options.ts';
import { runBackup } from '../restore/run-backup.ts';
import { runCommand } from './command.ts';
import type { CliIo } from './io.ts';
import { runJob } from './until-signal.ts';

const about =
  'Writes a snapshot of etcd to a file and verifies it. The source is the etcd of the service that runs on the data folder, or ' +
  'the members of --etcd-servers. Use "restore" to restore it.';

/** @throws StartError when no snapshot can be taken or the file cannot be written */
export function runBackupCommand(words: readonly string[], io: CliIo): Promise<number> {
  return runCommand(words, io, {
    name: 'orch-apiserver backup',
    about,
    flags: backupFlags,
    read: backupConfig,
    run: (config) =>
      runJob(io, 'the backup was cancelled; nothing was written', (signal) =>
        runBackup(config, { print: io.out, signal }),
      ),
  });
}
