/** Flags of `testing` and their typed configuration. */
import { isIP } from 'node:net';
import type { StartErrorDetail } from '../../base/start-error.ts';
import type { FlagDefinition } from '../flag-definition.ts';
import { FlagErrors, FlagReader, type FlagValues } from '../flag-reader.ts';

const anyPort = 65_535;

export const testingFlags = [
  {
    name: 'ready-file',
    value: 'FILE',
    default: '',
    description:
      'File that gets address, credentials and kubeconfig as JSON once all is ready, and is removed at the end. If empty, they are printed on one line.',
  },
  {
    name: 'naming',
    value: 'NAME',
    default: 'kubernetes',
    description: 'Naming profile of the API groups, labels and well-known names: orch or kubernetes.',
  },
  {
    name: 'clock',
    value: 'KIND',
    default: 'system',
    description: 'system, or virtual: the time can be moved forward.',
  },
  {
    name: 'crds',
    value: 'PATHS',
    default: '',
    description:
      'Files or folders of CustomResourceDefinitions to install, comma-separated. May be repeated.',
    repeatable: true,
  },
  {
    name: 'objects',
    value: 'PATHS',
    default: '',
    description: 'Files or folders of manifests of objects to create, comma-separated. May be repeated.',
    repeatable: true,
  },
  {
    name: 'serve-flag',
    value: 'NAME=VALUE',
    default: '',
    description: 'A flag of serve, such as event-ttl=10m. May be repeated.',
    repeatable: true,
  },
  {
    name: 'bind-address',
    value: 'IP',
    default: '127.0.0.1',
    description: 'The IP address on which to serve. 0.0.0.0 or :: means all interfaces.',
  },
  {
    name: 'secure-port',
    value: 'PORT',
    default: '0',
    description: 'The port of the API. 0: a free one.',
  },
  {
    name: 'testing-port',
    value: 'PORT',
    default: '0',
    description: 'The port of the paths below /testing. 0: a free one.',
  },
  {
    name: 'advertise-address',
    value: 'HOST',
    default: '',
    description:
      'Name or IP address under which clients reach it, as the kubeconfig says it; the certificate is valid for it, too. If empty, 127.0.0.1.',
  },
  {
    name: 'advertise-port',
    value: 'PORT',
    default: '0',
    description:
      'The port under which clients reach the API, as a container engine maps it. 0: --secure-port.',
  },
  {
    name: 'advertise-testing-port',
    value: 'PORT',
    default: '0',
    description: 'The port under which clients reach the paths below /testing. 0: --testing-port.',
  },
  {
    name: 'stop-with-input',
    value: '',
    default: 'false',
    description:
      'If true, the end of standard input ends the process, so that it goes with the one that started it.',
  },
] as const satisfies readonly FlagDefinition[];

type TestingFlags = FlagReader<(typeof testingFlags)[number]['name']>;

export interface TestingConfig {
  /** '': the standard output. */
  readonly readyFile: string;
  readonly naming: 'kubernetes' | 'orch';
  readonly clock: 'system' | 'virtual';
  readonly crds: readonly string[];
  readonly objects: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
  readonly bindAddress: string;
  readonly port: number;
  readonly testingPort: number;
  /** How clients reach it; '' and 0: what it has itself. */
  readonly advertised: { readonly address: string; readonly port: number; readonly testingPort: number };
  readonly stopWithInput: boolean;
}

/** Reads flags by name. The configuration is complete even if there are errors. */
export function testingConfig(texts: FlagValues): {
  config: TestingConfig;
  errors: readonly StartErrorDetail[];
} {
  const errors = new FlagErrors();
  const flags = new FlagReader(testingFlags, texts, errors);
  const bindAddress = flags.text('bind-address');
  if (isIP(bindAddress) === 0) flags.invalid('bind-address', 'use an IP address such as 127.0.0.1');
  const config: TestingConfig = {
    readyFile: flags.text('ready-file'),
    naming: oneOf(flags, 'naming', ['kubernetes', 'orch']),
    clock: oneOf(flags, 'clock', ['system', 'virtual']),
    crds: flags.list('crds'),
    objects: flags.list('objects'),
    flags: Object.fromEntries(flags.list('serve-flag').map((word) => pair(flags, word))),
    bindAddress,
    port: flags.integer('secure-port', 0, anyPort),
    testingPort: flags.integer('testing-port', 0, anyPort),
    advertised: {
      address: hostOf(flags),
      port: flags.integer('advertise-port', 0, anyPort),
      testingPort: flags.integer('advertise-testing-port', 0, anyPort),
    },
    stopWithInput: flags.boolean('stop-with-input'),
  };
  return { config, errors: errors.all() };
}

function hostOf(flags: TestingFlags): string {
  const host = flags.text('advertise-address');
  const isHost = host === '' || isIP(host) !== 0 || /^[a-z\d]([-.a-z\d]*[a-z\d])?$/i.test(host);
  if (!isHost) flags.invalid('advertise-address', 'use a host name or an IP address, without a port');
  return host;
}

function oneOf<T extends string>(
  flags: TestingFlags,
  name: 'naming' | 'clock',
  values: readonly [T, ...T[]],
): T {
  const text = flags.text(name);
  const found = values.find((value) => value === text);
  if (found === undefined) flags.invalid(name, `use ${values.join(' or ')}`);
  return found ?? values[0];
}

function pair(flags: TestingFlags, word: string): [string, string] {
  const [, name, value] = /^(?:--)?([^=]+)=(.*)$/s.exec(word) ?? [];
  if (name === undefined || value === undefined) flags.invalid('serve-flag', 'use NAME=VALUE');
  return [name ?? word, value ?? ''];
}
