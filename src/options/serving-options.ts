/** Where and with which certificate the service listens. */
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
    description: 'address to listen on; 0.0.0.0 or :: for all',
  },
  {
    name: 'max-connections',
    value: 'NUMBER',
    default: '30000',
    description: 'connections open at once, by each process; 0: as many as come',
  },
  {
    name: 'max-connections-per-address',
    value: 'NUMBER',
    default: '20000',
    description: 'the same of one client address, which may be that of a balancer with all clients behind it',
  },
  {
    name: 'secure-port',
    value: 'PORT',
    default: '6443',
    description: 'port to listen on with TLS; 0 takes a free one',
  },
  {
    name: 'tls-cert-file',
    value: 'FILE',
    default: '',
    description: "serving certificate, its chain after it (PEM); none: made under the data folder's pki",
  },
  {
    name: 'tls-private-key-file',
    value: 'FILE',
    default: '',
    description: 'private key of the serving certificate (PEM)',
  },
] as const satisfies readonly FlagDefinition[];

export interface ServingConfig {
  readonly bindAddress: string;
  /** 0 takes a free port. */
  readonly securePort: number;
  /** '' in these two: the PKI of the data folder serves. */
  readonly tlsCertFile: string;
  readonly tlsPrivateKeyFile: string;
  /** Open at once; 0: as many as come. */
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
  if (isIP(address) === 0) flags.invalid('bind-address', 'give an IPv4 or IPv6 address');
  return address;
}

/** The serving certificate with its key. Errors are added to those of `check`. */
export function readServingPair(
  { tlsCertFile, tlsPrivateKeyFile }: Pick<ServingConfig, 'tlsCertFile' | 'tlsPrivateKeyFile'>,
  check: FileCheck,
): Promise<KeyPair | undefined> {
  return check.pair(tlsCertFile, tlsPrivateKeyFile, '--tls-cert-file and --tls-private-key-file');
}
