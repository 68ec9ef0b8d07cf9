/** `restore --snapshot FILE`: replaces the data of etcd with a snapshot. */
import type { Fault } from '../base/start-error.ts';
import type { RestoreConfig, RestoreGoal } from '../restore/config.ts';
import { runRestore } from '../restore/restore.ts';
import type { FlagDefinition } from '../options/flag-definition.ts';
import { plainly, tellFaults, type CliIo } from './io.ts';
import { commandOf, parseFlags } from './parse-flags.ts';
import { stopOnSignals } from './signals.ts';

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

type RestoreFlag = (typeof restoreFlags)[number]['name'];
type Texts = Readonly<Record<string, string>>;

const about =
  'Restores etcd from a snapshot: verifies it, raises its revision beyond all revisions that clients have seen, restores it beside ' +
  'the current data and swaps the two. The previous data is kept under a dated name. The service and its etcd must be stopped.';

const memberFlags = ['name', 'initial-cluster', 'initial-advertise-peer-urls'] as const;

/** @throws StartError when the snapshot is invalid, the data is in use or a step fails */
export async function runRestoreCommand(words: readonly string[], io: CliIo): Promise<number> {
  const command = commandOf('orch-apiserver restore', about, restoreFlags);
  if (words.includes('--help') || words.includes('-h')) {
    io.out(command.helpInformation().trimEnd());
    return 0;
  }
  const { texts, faults } = parseFlags(command, restoreFlags, words);
  const all = [...faults, ...valueFaults(texts), ...combinationFaults(texts)];
  if (all.length > 0) return tellFaults(io, all);
  const stop = stopOnSignals(plainly(io));
  try {
    await runRestore(configOf(texts), { tell: io.out, signal: stop.signal });
    return 0;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    io.err('orch-apiserver: the restore was cancelled; the data is unchanged');
    return 130;
  } finally {
    stop.close();
  }
}

function configOf(texts: Texts): RestoreConfig {
  return {
    snapshot: textOf(texts, 'snapshot'),
    skipHashCheck: isSet(texts, 'skip-hash-check'),
    dryRun: isSet(texts, 'dry-run'),
    beyondRevision: Number(textOf(texts, 'beyond-revision')),
    goal: goalOf(texts),
  };
}

function goalOf(texts: Texts): RestoreGoal {
  const [output, dataDir] = [textOf(texts, 'output'), textOf(texts, 'etcd-data-dir')];
  if (output !== '') return { kind: 'prepare', output };
  if (dataDir === '') return { kind: 'own', dataFolder: textOf(texts, 'data-dir') };
  const member = {
    name: textOf(texts, 'name'),
    initialCluster: textOf(texts, 'initial-cluster'),
    initialClusterToken: textOf(texts, 'initial-cluster-token'),
    initialAdvertisePeerUrls: textOf(texts, 'initial-advertise-peer-urls'),
  };
  return { kind: 'member', dataDir, member };
}

function valueFaults(texts: Texts): Fault[] {
  const faults: Fault[] = [];
  if (textOf(texts, 'snapshot') === '') {
    const remedy = 'use restore --snapshot=FILE';
    faults.push({ code: 'FLAG_VALUE', cause: '--snapshot is missing', remedy });
  }
  const beyond = textOf(texts, 'beyond-revision');
  if (!/^\d{1,15}$/.test(beyond))
    faults.push(wrongValue('beyond-revision', beyond, 'use a resource version'));
  for (const flag of ['dry-run', 'skip-hash-check', 'prepared'] as const) {
    const text = textOf(texts, flag);
    if (text !== 'true' && text !== 'false') faults.push(wrongValue(flag, text, 'use true or false'));
  }
  return faults;
}

function wrongValue(flag: RestoreFlag, text: string, remedy: string): Fault {
  return { code: 'FLAG_VALUE', cause: `flag --${flag} has the value ${JSON.stringify(text)}`, remedy };
}

function combinationFaults(texts: Texts): Fault[] {
  const isMember = isGiven(texts, 'etcd-data-dir');
  const missing = isMember ? memberFlags.filter((flag) => !isGiven(texts, flag)) : [];
  const faults = missing.map((flag) =>
    mismatch(`--etcd-data-dir is given without --${flag}`, `give --${flag}`),
  );
  const remedy = 'prepare the snapshot once with --output, then restore every member from it with --prepared';
  if (isMember && !isSet(texts, 'prepared') && !isSet(texts, 'dry-run'))
    faults.push(mismatch('--etcd-data-dir is given without --prepared', remedy));
  if (isSet(texts, 'prepared') && !isMember)
    faults.push(
      mismatch(
        '--prepared is given without --etcd-data-dir',
        'set --etcd-data-dir to the data directory of a member',
      ),
    );
  if (isMember && isGiven(texts, 'output'))
    faults.push(
      mismatch('--etcd-data-dir and --output are both given', 'prepare the snapshot first, then restore it'),
    );
  if (isMember && isGiven(texts, 'data-dir'))
    faults.push(mismatch('--etcd-data-dir and --data-dir are both given', 'use the one to restore'));
  return faults;
}

function mismatch(cause: string, remedy: string): Fault {
  return { code: 'FLAG_COMBINATION', cause, remedy };
}

function isGiven(texts: Texts, flag: RestoreFlag): boolean {
  return (texts[flag] ?? '') !== '';
}

function isSet(texts: Texts, flag: RestoreFlag): boolean {
  return textOf(texts, flag) === 'true';
}

function textOf(texts: Texts, flag: RestoreFlag): string {
  return texts[flag] ?? restoreFlags.find(({ name }) => name === flag)?.default ?? '';
}
