/** The command `controllers`: its flags, its configuration and the files that it names. */
import { readSigningKey, type SigningKey } from '../../authn/service-account/service-account-keys.ts';
import { StartError, type Fault } from '../../base/start-error.ts';
import type { ControllerName } from '../../controllers/controller-names.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { LogLevel } from '../../observe/log.ts';
import type { ApiAccess } from '../../webhook/kubeconfig-reader.ts';
import { FileCheck, type KeyPair } from '../file-check.ts';
import type { FlagDefinition } from '../flag-definition.ts';
import { FlagErrors, FlagReader, type FlagValues } from '../flag-reader.ts';
import { readNames } from './controller-options.ts';

export const controllersFlags = [
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
] as const satisfies readonly FlagDefinition[];

export interface ControllersConfig {
  readonly kubeconfig: string;
  readonly naming: NamingProfile['name'];
  readonly controllers: ReadonlySet<ControllerName>;
  readonly logLevel: LogLevel;
  /** '' in these: no tokens are made for accounts, and no authority is told of. */
  readonly signingKeyFile: string;
  readonly rootCaFile: string;
  readonly endpoint: EndpointConfig;
}

export interface EndpointConfig {
  readonly bindAddress: string;
  /** 0: there is no endpoint. */
  readonly securePort: number;
  /** '' in these two: a certificate is made, which lasts as long as the process. */
  readonly tlsCertFile: string;
  readonly tlsPrivateKeyFile: string;
  /** Authorities of clients that may read metrics; '': nobody may. */
  readonly clientCaFile: string;
}

/** Reads flags by name. The configuration is whole also where there are errors. */
export function controllersConfig(texts: FlagValues): {
  config: ControllersConfig;
  faults: readonly Fault[];
} {
  const errors = new FlagErrors();
  const flags = new FlagReader(controllersFlags, texts, errors);
  if (!flags.isGiven('kubeconfig'))
    flags.add('no --kubeconfig is given', 'name the file: controllers --kubeconfig=FILE');
  const config: ControllersConfig = {
    kubeconfig: flags.text('kubeconfig'),
    naming: flags.choice('naming', ['orch', 'kubernetes']),
    controllers: readNames(flags),
    logLevel: 'info',
    signingKeyFile: flags.text('service-account-private-key-file'),
    rootCaFile: flags.text('root-ca-file'),
    endpoint: {
      bindAddress: flags.text('bind-address'),
      securePort: flags.integer('secure-port', 0, 65_535),
      tlsCertFile: flags.text('tls-cert-file'),
      tlsPrivateKeyFile: flags.text('tls-private-key-file'),
      clientCaFile: flags.text('client-ca-file'),
    },
  };
  flags.needs('service-account-private-key-file', 'root-ca-file');
  flags.needs('tls-cert-file', 'tls-private-key-file');
  flags.needs('tls-private-key-file', 'tls-cert-file');
  return { config, faults: errors.all() };
}

/** What the files hold; absent where no flag names one. */
export interface ControllersFiles {
  readonly access: ApiAccess;
  readonly signingKey: SigningKey | undefined;
  /** PEM. */
  readonly rootCa: string | undefined;
  readonly endpoint: EndpointFiles;
}

export interface EndpointFiles {
  readonly serving: KeyPair | undefined;
  readonly clientCa: string | undefined;
}

/** @throws StartError with all that is wrong with the files */
export async function readControllersFiles(config: ControllersConfig): Promise<ControllersFiles> {
  const faults: Fault[] = [];
  const check = new FileCheck(faults);
  const access = await check.access(config.kubeconfig, '--kubeconfig');
  const signingKey = await check.parsed(config.signingKeyFile, {
    flag: '--service-account-private-key-file',
    code: 'TOKEN_KEY_INVALID',
    parse: readSigningKey,
  });
  const rootCa = (await check.authorities(config.rootCaFile, '--root-ca-file'))?.toString('utf8');
  const endpoint = await readEndpointFiles(config.endpoint, check);
  if (access === undefined || faults.length > 0) throw new StartError(faults);
  return { access, signingKey, rootCa, endpoint };
}

async function readEndpointFiles(config: EndpointConfig, check: FileCheck): Promise<EndpointFiles> {
  const { tlsCertFile, tlsPrivateKeyFile, clientCaFile } = config;
  const flags = '--tls-cert-file and --tls-private-key-file';
  const serving = await check.pair(tlsCertFile, tlsPrivateKeyFile, flags);
  const clientCa = (await check.authorities(clientCaFile, '--client-ca-file'))?.toString('utf8');
  return { serving, clientCa };
}
