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
    name: 'goaway-chance',
    value: 'NUMBER',
    default: '0',
    description:
      'The share of HTTP/2 requests after whose response the connection ends with GOAWAY, so that the client connects again, perhaps to another replica behind a load balancer. From 0 (never) to 0.02 (one in 50 requests).',
  },
  {
    name: 'health-check-port',
    value: 'PORT',
    default: '0',
    description:
      'A second port with the same API, for the health checks of a load balancer that passes TLS through: a check there waits for no handshake of a client. 0 means none.',
  },
  {
    name: 'http2-max-streams-per-connection',
    value: 'NUMBER',
    default: '0',
    description:
      'The maximum number of requests that a client may have open at once on an HTTP/2 connection. 0 means 250.',
  },
  {
    name: 'max-connections',
    value: 'NUMBER',
    default: '30000',
    description:
      'The maximum number of open connections in each process, at most three quarters of its limit of open files. 0 means no other limit.',
  },
  {
    name: 'max-connections-per-address',
    value: 'NUMBER',
    default: '20000',
    description:
      'The maximum number of open connections of one client address to a port in each process. Behind a load balancer all clients may share an address. 0 means no limit.',
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
  /** 0 means none. */
  readonly healthCheckPort: number;
  /** Both are '' if the PKI of the data folder is used. */
  readonly tlsCertFile: string;
  readonly tlsPrivateKeyFile: string;
  /** Limits of open connections; 0 means no limit. */
  readonly connections: ConnectionLimits;
  /** Maximum number of open streams of an HTTP/2 connection. */
  readonly maxStreams: number;
  /** Probability that a request ends its HTTP/2 connection. */
  readonly goawayChance: number;
}

const mostConnections = 1_000_000;
/** As in the reference. */
const usualStreams = 250;
const mostStreams = 100_000;
/** More would make clients reconnect all the time, and so overload the server. */
const mostGoaways = 0.02;

export function readServing(texts: FlagValues, errors: FlagErrors): ServingConfig {
  const flags = new FlagReader(servingFlags, texts, errors);
  flags.needs('tls-cert-file', 'tls-private-key-file');
  flags.needs('tls-private-key-file', 'tls-cert-file');
  return {
    bindAddress: readAddress(flags),
    ...readPorts(flags),
    tlsCertFile: flags.text('tls-cert-file'),
    tlsPrivateKeyFile: flags.text('tls-private-key-file'),
    connections: {
      max: flags.integer('max-connections', 0, mostConnections),
      maxPerAddress: flags.integer('max-connections-per-address', 0, mostConnections),
    },
    maxStreams: flags.integer('http2-max-streams-per-connection', 0, mostStreams) || usualStreams,
    goawayChance: readChance(flags),
  };
}

function readPorts(
  flags: FlagReader<'secure-port' | 'health-check-port'>,
): Pick<ServingConfig, 'securePort' | 'healthCheckPort'> {
  const securePort = flags.integer('secure-port', 0, 65_535);
  const healthCheckPort = flags.integer('health-check-port', 0, 65_535);
  if (healthCheckPort > 0 && healthCheckPort === securePort)
    flags.invalid('health-check-port', 'use another port than that of --secure-port');
  return { securePort, healthCheckPort };
}

function readChance(flags: FlagReader<'goaway-chance'>): number {
  const text = flags.text('goaway-chance');
  const chance = /^(?:\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : NaN;
  if (chance <= mostGoaways) return chance;
  flags.invalid('goaway-chance', `give a number from 0 to ${String(mostGoaways)}`);
  return 0;
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
