/** Serving flags: address, port, certificate, connection limits. */
import { isIP } from 'node:net';
import type { ConnectionLimits } from '../http/connection-gate.ts';
import type { FileCheck, KeyPair } from './file-check.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const servingFlags = [
  {
    name: 'bind-address',
    value: 'ADDRESS',
    default: '127.0.0.1',
    description: 'The IP address on which to listen. 0.0.0.0 or :: means all interfaces.',
  },
  {
    name: 'max-connections',
    value: 'NUMBER',
    default: '30000',
    description: 'The maximum number of open connections in each process. 0 means no limit.',
  },
  {
    name: 'max-connections-per-address',
    value: 'NUMBER',
    default: '20000',
    description:
      'The maximum number of open connections of one client address in each process. Behind a load balancer all clients may share an address. 0 means no limit.',
  },
  {
    name: 'secure-port',
    value: 'PORT',
    default: '6443',
    description: 'The port on which to serve HTTPS. 0 selects a free port.',
  },
  {
    name: 'tls-cert-file',
    value: 'FILE',
    default: '',
    description:
      'File with the serving certificate (PEM), followed by its chain. If empty, a certificate is generated in the PKI of the data folder.',
  },
  {
    name: 'tls-private-key-file',
    value: 'FILE',
    default: '',
    description: 'File with the private key (PEM) of --tls-cert-file.',
  },
] as const satisfies readonly FlagDefinition[];

export interface ServingConfig {
  readonly bindAddress: string;
  /** 0 selects a free port. */
  readonly securePort: number;
  /** Both are '' if the PKI of the data folder is used. */
  readonly tlsCertFile: string;
  readonly tlsPrivateKeyFile: string;
  /** Limits of open connections; 0 means no limit. */
  readonly connections: ConnectionLimits;
}

const mostConnections = 1_000_000;

export function readServing(texts: FlagValues, errors: FlagErrors): ServingConfig {
  const flags = new FlagReader(servingFlags, texts, errors);
  flags.needs('tls-cert-file', 'tls-private-key-file');
  flags.needs('tls-private-key-file', 'tls-cert-file');
  return {
    bindAddress: readAddress(flags),
    securePort: flags.integer('secure-port', 0, 65_535),
    tlsCertFile: flags.text('tls-cert-file'),
    tlsPrivateKeyFile: flags.text('tls-private-key-file'),
    connections: {
      max: flags.integer('max-connections', 0, mostConnections),
      maxPerAddress: flags.integer('max-connections-per-address', 0, mostConnections),
    },
  };
}

function readAddress(flags: FlagReader<'bind-address'>): string {
  const address = flags.text('bind-address');
  if (isIP(address) === 0) flags.invalid('bind-address', 'use an IPv4 or IPv6 address');
  return address;
}

/** The serving certificate with its key. Errors are added to those of `check`. */
export function readServingPair(
  { tlsCertFile, tlsPrivateKeyFile }: Pick<ServingConfig, 'tlsCertFile' | 'tlsPrivateKeyFile'>,
  check: FileCheck,
): Promise<KeyPair | undefined> {
  return check.pair(tlsCertFile, tlsPrivateKeyFile, '--tls-cert-file and --tls-private-key-file');
}
