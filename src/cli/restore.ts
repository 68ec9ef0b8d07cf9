/** `restore --snapshot FILE`: puts the state of a snapshot in the place of etcd's data. */
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
    description: 'what "backup", or etcdctl snapshot save, wrote',
  },
  {
    name: 'data-dir',
    value: 'FOLDER',
    default: '.orch',
    description: 'data folder of a service that runs its own etcd',
  },
  { name: 'dry-run', value: '', default: 'false', description: 'verifies the snapshot and changes nothing' },
  {
    name: 'skip-hash-check',
    value: '',
    default: 'false',
    description: 'takes a snapshot without a hash, such as a database copied from a data directory',
  },
  {
    name: 'beyond-revision',
    value: 'REVISION',
    default: '0',
    description: 'a resource version that is known to have been served; what is restored has later ones',
  },
  {
    name: 'output',
    value: 'FILE',
    default: '',
    description: 'prepares the snapshot for the members of a cluster, writes it there and restores nothing',
  },
  {
    name: 'prepared',
    value: '',
    default: 'false',
    description: 'the snapshot was prepared with --output; needed to restore a member of a cluster',
  },
  {
    name: 'etcd-data-dir',
    value: 'FOLDER',
    default: '',
    description: "data directory of one member of a cluster, instead of the service's own etcd",
  },
  { name: 'name', value: 'NAME', default: '', description: 'name of that member, as in its own --name' },
  {
    name: 'initial-cluster',
    value: 'NAME=URL',
    default: '',
    description: 'all members with their peer URLs, as in their own --initial-cluster',
    repeatable: true,
  },
  {
    name: 'initial-cluster-token',
    value: 'TOKEN',
    default: '',
    description: 'token of the restored cluster; none: one made from its revision',
  },
  {
    name: 'initial-advertise-peer-urls',
    value: 'URLS',
    default: '',
    description: 'peer URLs of that member, as in its own --initial-advertise-peer-urls',
    repeatable: true,
  },
] as const satisfies readonly FlagDefinition[];

type RestoreFlag = (typeof restoreFlags)[number]['name'];
type Texts = Readonly<Record<string, string>>;

const about =
  'Restores etcd from a snapshot: checks it, raises its revision beyond all that clients have seen, restores it beside ' +
  "the data and swaps the two. The data that was there is kept under a dated name. The service and its etcd don't run meanwhile.";

const memberFlags = ['name', 'initial-cluster', 'initial-advertise-peer-urls'] as const;

/** @throws StartError when the snapshot is refused, the data is in use or a step fails */
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
    io.err('orch-apiserver: the restore was called off; the data is as it was');
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
    const remedy = 'name the file: restore --snapshot=FILE';
    faults.push({ code: 'FLAG_VALUE', cause: 'no --snapshot is given', remedy });
  }
  const beyond = textOf(texts, 'beyond-revision');
  if (!/^\d{1,15}$/.test(beyond))
    faults.push(wrongValue('beyond-revision', beyond, 'give a resource version'));
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
  const remedy =
    'prepare the snapshot once with --output, then restore every member from that with --prepared';
  if (isMember && !isSet(texts, 'prepared') && !isSet(texts, 'dry-run'))
    faults.push(mismatch('--etcd-data-dir is given without --prepared', remedy));
  if (isSet(texts, 'prepared') && !isMember)
    faults.push(
      mismatch('--prepared is given without --etcd-data-dir', 'name the data directory of a member'),
    );
  if (isMember && isGiven(texts, 'output'))
    faults.push(mismatch('--etcd-data-dir and --output are given', 'prepare first, then restore'));
  if (isMember && isGiven(texts, 'data-dir'))
    faults.push(mismatch('--etcd-data-dir and --data-dir are given', 'give the one that is to be restored'));
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
