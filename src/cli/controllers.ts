/** `controllers --kubeconfig FILE`: runs the controllers beside an API that is served elsewhere. */
import { runControllerProcess } from '../server/controllers/run-process.ts';
import { chooseControllers, controllerNames } from '../server/controllers/controller-names.ts';
import type { Fault } from '../server/faults.ts';
import type { FlagDefinition } from './flags.ts';
import { tellFaults, type CliIo } from './io.ts';
import { commandOf, parseFlags } from './parse-flags.ts';
import { stopOnSignals } from './signals.ts';

export const controllersFlags: readonly FlagDefinition[] = [
  { name: 'kubeconfig', value: 'FILE', default: '', description: 'where the API is and who to be there' },
  {
    name: 'controllers',
    value: 'NAMES',
    default: '*',
    description: 'controllers to run: * all, NAME that one, -NAME not that one',
    repeatable: true,
  },
  {
    name: 'root-ca-file',
    value: 'FILE',
    default: '',
    description: 'authority that accounts and namespaces are told of (PEM); none: they are not',
  },
  {
    name: 'service-account-private-key-file',
    value: 'FILE',
    default: '',
    description:
      'key that tokens of accounts are signed with (PEM); needs --root-ca-file; none: none are made',
  },
  { name: 'naming', value: 'PROFILE', default: 'orch', description: 'names of the API: orch or kubernetes' },
];

const about =
  `Runs the controllers (${controllerNames.join(', ')}) against an API. ` +
  'Any number of such processes may run; one acts.';

/** @throws StartError when the kubeconfig cannot be used */
export async function runControllersCommand(words: readonly string[], io: CliIo): Promise<number> {
  const command = commandOf('orch-apiserver controllers', about, controllersFlags);
  if (words.includes('--help') || words.includes('-h')) {
    io.out(command.helpInformation().trimEnd());
    return 0;
  }
  const { texts, faults } = parseFlags(command, controllersFlags, words);
  const chosen = chooseControllers((texts['controllers'] ?? '*').split(',').map((word) => word.trim()));
  const naming = texts['naming'] ?? 'orch';
  const all = [
    ...faults,
    ...valueFaults(texts['kubeconfig'] ?? '', naming, chosen.unknown),
    ...provisionFaults(texts),
  ];
  if (all.length > 0) return tellFaults(io, all);
  const stop = stopOnSignals(io);
  try {
    io.out(`Running ${[...chosen.names].join(', ')} while this process leads.`);
    await runControllerProcess(
      {
        kubeconfig: texts['kubeconfig'] ?? '',
        naming: naming === 'kubernetes' ? 'kubernetes' : 'orch',
        controllers: chosen.names,
        logLevel: 'info',
        signingKeyFile: texts['service-account-private-key-file'] ?? '',
        rootCaFile: texts['root-ca-file'] ?? '',
      },
      stop.signal,
    );
    return 0;
  } finally {
    stop.close();
  }
}

function valueFaults(kubeconfig: string, naming: string, unknown: readonly string[]): Fault[] {
  const faults: Fault[] = unknown.map((word) => ({
    code: 'FLAG_VALUE',
    cause: `flag --controllers names ${JSON.stringify(word)}`,
    remedy: `use *, or names of ${controllerNames.join(', ')}`,
  }));
  if (kubeconfig === '') {
    const remedy = 'name the file: controllers --kubeconfig=FILE';
    faults.push({ code: 'FLAG_VALUE', cause: 'no --kubeconfig is given', remedy });
  }
  if (naming !== 'orch' && naming !== 'kubernetes') {
    const cause = `flag --naming has the value ${JSON.stringify(naming)}`;
    faults.push({ code: 'FLAG_VALUE', cause, remedy: 'use orch or kubernetes' });
  }
  return faults;
}

function provisionFaults(texts: Readonly<Record<string, string>>): Fault[] {
  if (!texts['service-account-private-key-file'] || texts['root-ca-file']) return [];
  const cause = '--service-account-private-key-file is given without --root-ca-file';
  return [{ code: 'FLAG_COMBINATION', cause, remedy: 'give --root-ca-file too' }];
}
