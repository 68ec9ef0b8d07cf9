/** Flags of `restore` and their typed configuration. */
import type { StartErrorDetail } from '../../base/start-error.ts';
import type { RestoreConfig, RestoreGoal } from '../../restore/config.ts';
import type { FlagDefinition } from '../flag-definition.ts';
import { FlagErrors, FlagReader, type FlagValues } from '../flag-reader.ts';

export const restoreFlags = [
  {
    name: 'snapshot',
    value: 'FILE',
    default: '',
    description: 'Snapshot file that "backup" or "etcdctl snapshot save" wrote. Required.',
  },
  {
    name: 'data-dir',
    value: 'FOLDER',
    default: '.orch',
    description: 'Data folder of a service that runs its own etcd.',
  },
  {
    name: 'dry-run',
    value: '',
    default: 'false',
    description: 'If true, the snapshot is only verified and nothing is changed.',
  },
  {
    name: 'skip-hash-check',
    value: '',
    default: 'false',
    description:
      'If true, a snapshot without a hash is accepted, such as a database copied from a data directory.',
  },
  {
    name: 'beyond-revision',
    value: 'REVISION',
    default: '0',
    description: 'A resource version that clients have seen. All restored resource versions are later.',
  },
  {
    name: 'output',
    value: 'FILE',
    default: '',
    description:
      'File to write the snapshot to after preparing it for the members of a cluster. Nothing is restored.',
  },
  {
    name: 'prepared',
    value: '',
    default: 'false',
    description:
      'Whether the snapshot was prepared with --output. Required to restore a member of a cluster.',
  },
  {
    name: 'etcd-data-dir',
    value: 'FOLDER',
    default: '',
    description: 'Data directory of the member of a cluster to restore, instead of the etcd of the service.',
  },
  { name: 'name', value: 'NAME', default: '', description: 'Name of the member, as in its flag --name.' },
  {
    name: 'initial-cluster',
    value: 'NAME=URL',
    default: '',
    description:
      'All members and their peer URLs, as in the flag --initial-cluster of etcd. May be repeated.',
    repeatable: true,
  },
  {
    name: 'initial-cluster-token',
    value: 'TOKEN',
    default: '',
    description: 'Token of the restored cluster. Defaults to one derived from its revision.',
  },
  {
    name: 'initial-advertise-peer-urls',
    value: 'URLS',
    default: '',
    description: 'Peer URLs of the member, as in its flag --initial-advertise-peer-urls. May be repeated.',
    repeatable: true,
  },
] as const satisfies readonly FlagDefinition[];

type RestoreFlags = FlagReader<(typeof restoreFlags)[number]['name']>;

/** Reads flags by name. The configuration is complete even if there are errors. */
export function restoreConfig(texts: FlagValues): {
  config: RestoreConfig;
  errors: readonly StartErrorDetail[];
} {
  const errors = new FlagErrors();
  const flags = new FlagReader(restoreFlags, texts, errors);
  if (!flags.isGiven('snapshot')) flags.add('--snapshot is missing', 'use restore --snapshot=FILE');
  const config: RestoreConfig = {
    snapshot: flags.text('snapshot'),
    skipHashCheck: flags.boolean('skip-hash-check'),
    dryRun: flags.boolean('dry-run'),
    beyondRevision: flags.integer('beyond-revision', 0, maxRevision),
    goal: goalOf(flags),
  };
  checkGoal(flags, config);
  return { config, errors: errors.all() };
}

/** Larger numbers may lose precision. */
const maxRevision = 999_999_999_999_999;

function goalOf(flags: RestoreFlags): RestoreGoal {
  if (flags.isGiven('output')) return { kind: 'prepare', output: flags.text('output') };
  if (!flags.isGiven('etcd-data-dir')) return { kind: 'own', dataFolder: flags.text('data-dir') };
  const member = {
    name: flags.text('name'),
    initialCluster: flags.text('initial-cluster'),
    initialClusterToken: flags.text('initial-cluster-token'),
    initialAdvertisePeerUrls: flags.text('initial-advertise-peer-urls'),
  };
  return { kind: 'member', dataDir: flags.text('etcd-data-dir'), member };
}

/** A member of a cluster is restored from a prepared snapshot, and only a member is. */
function checkGoal(flags: RestoreFlags, { dryRun }: RestoreConfig): void {
  const isPrepared = flags.boolean('prepared');
  if (!flags.isGiven('etcd-data-dir')) {
    if (isPrepared)
      flags.conflict(
        '--prepared is given without --etcd-data-dir',
        'set --etcd-data-dir to the data directory of a member',
      );
    return;
  }
  for (const needed of ['name', 'initial-cluster', 'initial-advertise-peer-urls'] as const)
    flags.needs('etcd-data-dir', needed);
  if (!isPrepared && !dryRun)
    flags.conflict(
      '--etcd-data-dir is given without --prepared',
      'prepare the snapshot once with --output, then restore every member from it with --prepared',
    );
  if (flags.isGiven('output'))
    flags.conflict(
      '--etcd-data-dir and --output are both given',
      'prepare the snapshot first, then restore it',
    );
  if (flags.isGiven('data-dir'))
    flags.conflict('--etcd-data-dir and --data-dir are both given', 'use the one to restore');
}
