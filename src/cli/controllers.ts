/** `controllers --kubeconfig FILE`: runs the controllers beside an API that is served elsewhere. */
import type { ControllersConfig } from '../server/controllers/run-process.ts';
import { chooseControllers, controllerNames } from '../server/controllers/controller-names.ts';
import type { Fault } from '../server/faults.ts';
import type { FlagDefinition } from './flags.ts';
import { notifierOf, notifyOfWarnings, tellFaults, type CliIo } from './io.ts';
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
  {
    name: 'bind-address',
    value: 'ADDRESS',
    default: '127.0.0.1',
    description: 'address to tell health and metrics at; 0.0.0.0 or :: for all',
  },
  {
    name: 'secure-port',
    value: 'PORT',
    default: '10257',
    description: 'port to tell health and metrics at, with TLS; 0: they are not told',
  },
  {
    name: 'tls-cert-file',
    value: 'FILE',
    default: '',
    description: 'certificate of that port, its chain after it (PEM); none: one is made at each start',
  },
  {
    name: 'tls-private-key-file',
    value: 'FILE',
    default: '',
    description: 'private key of that certificate (PEM)',
  },
  {
    name: 'client-ca-file',
    value: 'FILE',
    default: '',
    description: 'authorities of clients that may read metrics (PEM); none: nobody may',
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
  const { config, faults: wrong } = configOf(texts);
  const all = [...faults, ...wrong];
  if (all.length > 0) return tellFaults(io, all);
  const notify = notifierOf(io);
  notifyOfWarnings(notify);
  const stop = stopOnSignals(notify);
  const { superviseControllers } = await import('../server/workers/supervise.ts');
  try {
    await superviseControllers(config, { signal: stop.signal, notify });
    return 0;
  } finally {
    stop.close();
  }
}

/** The texts as a configuration, which is whole only when there are no faults. */
function configOf(texts: Readonly<Record<string, string>>): { config: ControllersConfig; faults: Fault[] } {
  const text = (name: string): string => {
    const fallback = controllersFlags.find((flag) => flag.name === name)?.default ?? '';
    return texts[name] ?? fallback;
  };
  const chosen = chooseControllers(
    text('controllers')
      .split(',')
      .map((word) => word.trim()),
  );
  const [naming, port] = [text('naming'), portOf(text('secure-port'))];
  const config: ControllersConfig = {
    kubeconfig: text('kubeconfig'),
    naming: naming === 'kubernetes' ? 'kubernetes' : 'orch',
    controllers: chosen.names,
    logLevel: 'info',
    signingKeyFile: text('service-account-private-key-file'),
    rootCaFile: text('root-ca-file'),
    endpoint: {
      bindAddress: text('bind-address'),
      securePort: port ?? 0,
      tlsCertFile: text('tls-cert-file'),
      tlsPrivateKeyFile: text('tls-private-key-file'),
      clientCaFile: text('client-ca-file'),
    },
  };
  const faults = [
    ...valueFaults(config.kubeconfig, naming, chosen.unknown),
    ...(port === undefined ? [portFault(text('secure-port'))] : []),
    ...combinationFaults(texts),
  ];
  return { config, faults };
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

/** undefined: the text is no port. */
function portOf(text: string): number | undefined {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : NaN;
  return port <= 65_535 ? port : undefined;
}

function portFault(text: string): Fault {
  const cause = `flag --secure-port has the value ${JSON.stringify(text)}`;
  return { code: 'FLAG_VALUE', cause, remedy: 'give a number from 0 to 65535' };
}

/** Flags that need another one. */
const companions = [
  ['service-account-private-key-file', 'root-ca-file'],
  ['tls-cert-file', 'tls-private-key-file'],
  ['tls-private-key-file', 'tls-cert-file'],
] as const;

function combinationFaults(texts: Readonly<Record<string, string>>): Fault[] {
  return companions
    .filter(([flag, companion]) => texts[flag] && !texts[companion])
    .map(([flag, companion]) => ({
      code: 'FLAG_COMBINATION',
      cause: `--${flag} is given without --${companion}`,
      remedy: `give --${companion} too`,
    }));
}
