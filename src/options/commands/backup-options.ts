/** Flags of `backup` and their typed configuration. */
import type { StartErrorDetail } from '../../base/start-error.ts';
import type { BackupConfig } from '../../restore/config.ts';
import { etcdFlags } from '../etcd-options.ts';
import type { FlagDefinition } from '../flag-definition.ts';
import { FlagErrors, FlagReader, type FlagValues } from '../flag-reader.ts';
import { serverRunFlags } from '../server-run-options.ts';

/** Flags of `serve` that locate etcd. */
const shared = ['data-dir', 'etcd-cafile', 'etcd-certfile', 'etcd-keyfile', 'etcd-servers'] as const;

export const backupFlags = [
  { name: 'output', value: 'FILE', default: '', description: 'File to write the snapshot to. Required.' },
  ...shared.flatMap((name) => [...serverRunFlags, ...etcdFlags].filter((flag) => flag.name === name)),
] as const satisfies readonly FlagDefinition[];

/** Reads flags by name. The configuration is complete even if there are errors. */
export function backupConfig(texts: FlagValues): {
  config: BackupConfig;
  errors: readonly StartErrorDetail[];
} {
  const errors = new FlagErrors();
  const flags = new FlagReader(backupFlags, texts, errors);
  if (!flags.isGiven('output')) flags.add('--output is missing', 'use backup --output=FILE');
  const config: BackupConfig = {
    output: flags.text('output'),
    dataFolder: flags.text('data-dir'),
    servers: flags.list('etcd-servers'),
    caFile: flags.text('etcd-cafile'),
    certFile: flags.text('etcd-certfile'),
    keyFile: flags.text('etcd-keyfile'),
  };
  return { config, errors: errors.all() };
}
