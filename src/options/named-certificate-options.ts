/** The flag of certificates by name (SNI), and their files. */
import { isIP } from 'node:net';
import { isHostPattern, type NamedCertificate } from '../http/named-certificates.ts';
import type { FileCheck } from './file-check.ts';
import type { FlagDefinition } from './flag-definition.ts';
import { FlagReader, type FlagErrors, type FlagValues } from './flag-reader.ts';

const flagName = 'tls-sni-cert-key';

export const namedCertificateFlags = [
  {
    name: flagName,
    value: 'CERT,KEY[:NAMES]',
    default: '',
    description:
      'Certificate chain and key (PEM) for clients that ask for a name (SNI), such as a.crt,a.key:*.a.test,a.test; without names for those of the certificate. Names come before patterns. May be repeated.',
    repeatable: true,
    separator: ';',
  },
] as const satisfies readonly FlagDefinition[];

/** Files of a certificate, and the names of hosts for which it is shown. */
export interface NamedCertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Empty for the names of the certificate. */
  readonly names: readonly string[];
}

export interface NamedCertificateConfig {
  readonly namedCertificates: readonly NamedCertificateFiles[];
}

export function readNamedCertificateFlag(texts: FlagValues, errors: FlagErrors): NamedCertificateConfig {
  const flags = new FlagReader(namedCertificateFlags, texts, errors);
  const items = flags.text(flagName).split(';').filter(Boolean);
  return { namedCertificates: items.flatMap((item) => readItem(item, flags)) };
}

function readItem(text: string, flags: FlagReader<typeof flagName>): NamedCertificateFiles[] {
  const colon = text.indexOf(':');
  const files = partsOf(colon < 0 ? text : text.slice(0, colon));
  const names = colon < 0 ? [] : partsOf(text.slice(colon + 1));
  const [certFile = '', keyFile = ''] = files;
  const where = `flag --${flagName} has the value ${JSON.stringify(text)}`;
  if (files.length !== 2 || files.includes('')) {
    flags.add(where, 'give the files of a certificate and of its key: CERT,KEY or CERT,KEY:NAMES');
    return [];
  }
  const unknown = names.filter((name) => isIP(name) === 0 && !isHostPattern(name));
  if (unknown.length > 0) flags.add(where, 'give names of hosts; only the first label may be *');
  return [{ certFile, keyFile, names }];
}

function partsOf(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

/** A warning for each address among the names: a client that connects to an address asks for no name. */
export function warnAboutAddresses({ namedCertificates }: NamedCertificateConfig): string[] {
  return namedCertificates
    .flatMap(({ names }) => names)
    .filter((name) => isIP(name) !== 0)
    .map(
      (address) =>
        `flag --${flagName}: the address ${address} has no effect: clients that connect to an address get the certificate of --tls-cert-file`,
    );
}

/** The certificates with their keys. Errors are added to those of `check`; invalid pairs are left out. */
export async function readNamedCertificates(
  { namedCertificates }: NamedCertificateConfig,
  check: FileCheck,
): Promise<NamedCertificate[]> {
  const read: NamedCertificate[] = [];
  // In sequence, to keep the order of errors stable.
  for (const { certFile, keyFile, names } of namedCertificates) {
    const pair = await check.pair(certFile, keyFile, `--${flagName}`);
    if (pair) read.push({ cert: pair.cert.toString('utf8'), key: pair.key.toString('utf8'), names });
  }
  return read;
}
