/** `restore --snapshot FILE`: replaces the data of etcd with a snapshot. */
import { restoreConfig, restoreFlags } from '../options/commands/restore-options.ts';
import { runRestore } from '../restore/run-restore.ts';
import { runCommand } from './command.ts';
import type { CliIo } from './io.ts';
import { runJob } from './until-signal.ts';

const about =
  'Restores etcd from a snapshot: verifies it, raises its revision beyond all revisions that clients have seen, restores it beside ' +
  'the current data and swaps the two. The previous data is kept under a dated name. The service and its etcd must be stopped.';

/** @throws StartError when the snapshot is invalid, the data is in use or a step fails */
export function runRestoreCommand(words: readonly string[], io: CliIo): Promise<number> {
  return runCommand(words, io, {
    name: 'orch-apiserver restore',
    about,
    flags: restoreFlags,
    read: restoreConfig,
    run: (config) =>
      runJob(io, 'the restore was cancelled; the data is unchanged', (signal) =>
        runRestore(config, { print: io.out, signal }),
      ),
  });
}
