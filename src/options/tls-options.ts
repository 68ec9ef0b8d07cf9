/** Flags of TLS: what the server agrees to in a handshake. */
import type { TlsPolicy } from '../http/tls-policy.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

export const tlsFlags = [
  {
    name: 'tls-cipher-suites',
    value: 'SUITES',
    default: '',
    description:
      'Cipher suites of TLS 1.2 that clients may use, by their IANA names, comma-separated. Those of TLS 1.3 are always offered. If empty, all suites with forward secrecy and authenticated encryption.',
    repeatable: true,
  },
  {
    name: 'tls-min-version',
    value: 'VERSION',
    default: 'VersionTLS12',
    description: 'The lowest TLS version that clients may use: VersionTLS12 or VersionTLS13.',
  },
] as const satisfies readonly FlagDefinition[];

const authentications = ['ECDSA', 'RSA'];
const ephemeral = [
  ['AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
  ['AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
  ['CHACHA20_POLY1305_SHA256', 'CHACHA20-POLY1305'],
  ['CHACHA20_POLY1305', 'CHACHA20-POLY1305'],
  ['AES_128_CBC_SHA', 'AES128-SHA'],
  ['AES_256_CBC_SHA', 'AES256-SHA'],
  ['AES_128_CBC_SHA256', 'AES128-SHA256'],
] as const;

/** Names of IANA, which kube-apiserver uses, and those of OpenSSL. */
const suites: ReadonlyMap<string, string> = new Map([
  ...authentications.flatMap((kind) =>
    ephemeral.map(([name, openSsl]): [string, string] => [
      `TLS_ECDHE_${kind}_WITH_${name}`,
      `ECDHE-${kind}-${openSsl}`,
    ]),
  ),
  ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
  ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA', 'AES128-SHA'],
  ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA256', 'AES128-SHA256'],
]);

/** Always offered; they may be named. */
const suitesOfTls13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];

/** Absent where the defaults of the server apply. */
export interface TlsConfig {
  readonly tlsPolicy: TlsPolicy;
}

export function readTls(texts: FlagValues, errors: FlagErrors): TlsConfig {
  const flags = new FlagReader(tlsFlags, texts, errors);
  const version = flags.choice('tls-min-version', ['VersionTLS12', 'VersionTLS13']);
  const names = flags.list('tls-cipher-suites');
  const unknown = names.filter((name) => !suites.has(name) && !suitesOfTls13.includes(name));
  if (unknown.length > 0)
    flags.add(
      `flag --tls-cipher-suites names ${unknown.join(', ')}`,
      `use of ${[...suites.keys(), ...suitesOfTls13].join(', ')}`,
    );
  const chosen = names.flatMap((name) => suites.get(name) ?? []);
  return {
    tlsPolicy: {
      minVersion: version === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2',
      ...(chosen.length > 0 && { suites: chosen }),
    },
  };
}
