/** The command `controllers`: its flags, its configuration and the files that it names. */
import { readSigningKey, type SigningKey } from '../../authn/service-account/service-account-keys.ts';
import { StartError, type StartErrorDetail } from '../../base/start-error.ts';
import type { ControllerName } from '../../controllers/controller-names.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { LogLevel } from '../../observe/log.ts';
import type { ApiAccess } from '../../webhook/kubeconfig-reader.ts';
import { FileCheck, type KeyPair } from '../file-check.ts';
import type { FlagDefinition } from '../flag-definition.ts';
import { FlagErrors, FlagReader, type FlagValues } from '../flag-reader.ts';
import { readNames, readUnusedTokens, unusedTokensFlag } from './controller-options.ts';

export const controllersFlags = [
  {
    name: 'kubeconfig',
    value: 'FILE',
    default: '',
    description: 'File in kubeconfig format with the address of the API server and the credentials to use.',
  },
  {
    name: 'controllers',
    value: 'NAMES',
    default: '*',
    description:
      'A list of controllers to enable. * enables all, NAME enables the controller of that name, -NAME disables it.',
    repeatable: true,
  },
  unusedTokensFlag,
  {
    name: 'root-ca-file',
    value: 'FILE',
    default: '',
    description:
      'CA bundle (PEM) that is published in service account token Secrets and in every namespace. If empty, none is published.',
  },
  {
    name: 'service-account-private-key-file',
    value: 'FILE',
    default: '',
    description:
      'File with the private key (PEM) that signs service account tokens. Requires --root-ca-file. If empty, no token Secrets are created.',
  },
  {
    name: 'bind-address',
    value: 'ADDRESS',
    default: '127.0.0.1',
    description: 'The IP address on which to serve health and metrics. 0.0.0.0 or :: means all interfaces.',
  },
  {
    name: 'secure-port',
    value: 'PORT',
    default: '10257',
    description: 'The port on which to serve health and metrics with TLS. 0 disables the endpoint.',
  },
  {
    name: 'tls-cert-file',
    value: 'FILE',
    default: '',
    description:
      'File with the serving certificate (PEM), followed by its chain. If empty, a certificate is generated at each start.',
  },
  {
    name: 'tls-private-key-file',
    value: 'FILE',
    default: '',
    description: 'File with the private key (PEM) of --tls-cert-file.',
  },
  {
    name: 'client-ca-file',
    value: 'FILE',
    default: '',
    description:
      'CA bundle (PEM) that verifies the client certificates that may read metrics. If empty, no client may read metrics.',
  },
  {
    name: 'naming',
    value: 'PROFILE',
    default: 'orch',
    description: 'Naming profile of the API groups, labels and well-known names: orch or kubernetes.',
  },
] as const satisfies readonly FlagDefinition[];

export interface ControllersConfig {
  readonly kubeconfig: string;
  readonly naming: NamingProfile['name'];
  readonly controllers: ReadonlySet<ControllerName>;
  readonly unusedTokensMs: number;
  readonly logLevel: LogLevel;
  /** If either is '', no tokens are created or no CA bundle is published. */
  readonly signingKeyFile: string;
  readonly rootCaFile: string;
  readonly endpoint: EndpointConfig;
}

export interface EndpointConfig {
  readonly bindAddress: string;
  /** 0 if the endpoint is disabled. */
  readonly securePort: number;
  /** If both are '', a certificate is generated for the lifetime of the process. */
  readonly tlsCertFile: string;
  readonly tlsPrivateKeyFile: string;
  /** CA bundle of clients that may read metrics; '' if no client may. */
  readonly clientCaFile: string;
}

/** Reads flags by name. The configuration is complete even if there are errors. */
export function controllersConfig(texts: FlagValues): {
  config: ControllersConfig;
  errors: readonly StartErrorDetail[];
} {
  const errors = new FlagErrors();
  const flags = new FlagReader(controllersFlags, texts, errors);
  if (!flags.isGiven('kubeconfig')) flags.add('--kubeconfig is missing', 'use controllers --kubeconfig=FILE');
  const config: ControllersConfig = {
    kubeconfig: flags.text('kubeconfig'),
    naming: flags.choice('naming', ['orch', 'kubernetes']),
    controllers: readNames(flags),
    unusedTokensMs: readUnusedTokens(flags),
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
  return { config, errors: errors.all() };
}

/** The contents of the files; undefined if no flag names one. */
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

/** @throws StartError with all errors of the files */
export async function readControllersFiles(config: ControllersConfig): Promise<ControllersFiles> {
  const errors: StartErrorDetail[] = [];
  const check = new FileCheck(errors);
  const access = await check.access(config.kubeconfig, '--kubeconfig');
  const signingKey = await check.parsed(config.signingKeyFile, {
    flag: '--service-account-private-key-file',
    code: 'TOKEN_KEY_INVALID',
    parse: readSigningKey,
  });
  const rootCa = (await check.authorities(config.rootCaFile, '--root-ca-file'))?.toString('utf8');
  const endpoint = await readEndpointFiles(config.endpoint, check);
  if (access === undefined || errors.length > 0) throw new StartError(errors);
  return { access, signingKey, rootCa, endpoint };
}

async function readEndpointFiles(config: EndpointConfig, check: FileCheck): Promise<EndpointFiles> {
  const { tlsCertFile, tlsPrivateKeyFile, clientCaFile } = config;
  const flags = '--tls-cert-file and --tls-private-key-file';
  const serving = await check.pair(tlsCertFile, tlsPrivateKeyFile, flags);
  const clientCa = (await check.authorities(clientCaFile, '--client-ca-file'))?.toString('utf8');
  return { serving, clientCa };
}
