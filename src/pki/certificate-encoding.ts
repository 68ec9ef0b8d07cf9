/** The parts of certificates (RFC 5280) in their encoding. */
import { isIP } from 'node:net';
import { contextTag, derNodes, derObjectIdentifier, derTag, derValue, type DerNode } from '../base/der.ts';
import type { CertificateRequest } from './types.ts';

const ids = {
  organization: '2.5.4.10',
  commonName: '2.5.4.3',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;

const extendedUsages = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;
/** Kinds of alternative names. */
const dnsName = contextTag(2, { isConstructed: false });
const ipAddress = contextTag(7, { isConstructed: false });
const implicitZero = contextTag(0, { isConstructed: false });
const extensionsTag = contextTag(3, { isConstructed: true });
const yes = derValue(derTag.boolean, Buffer.of(0xff));
/** Between them years have two digits (RFC 5280, 4.1.2.5). */
const shortYears = { from: Date.UTC(1950, 0), until: Date.UTC(2050, 0) };

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return derValue(derTag.sequence, ...parts);
}

/** A subject or issuer. */
export function nameOf({
  commonName,
  organizations = [],
}: Pick<CertificateRequest, 'commonName'> & Partial<CertificateRequest>): Buffer {
  const attribute = (id: string, text: string): Buffer => {
    const value = derValue(derTag.utf8String, Buffer.from(text));
    return derValue(derTag.set, sequence(derObjectIdentifier(id), value));
  };
  const groups = organizations.map((name) => attribute(ids.organization, name));
  return sequence(...groups, attribute(ids.commonName, commonName));
}

/** From one time to another, in milliseconds since 1970. */
export interface Validity {
  readonly from: number;
  readonly until: number;
}

export function validityOf({ from, until }: Validity): Buffer {
  return sequence(timeOf(from), timeOf(until));
}

function timeOf(ms: number): Buffer {
  const digits = `${new Date(ms).toISOString().slice(0, 19).replaceAll(/\D/g, '')}Z`;
  return ms >= shortYears.from && ms < shortYears.until
    ? derValue(derTag.utcTime, Buffer.from(digits.slice(2)))
    : derValue(derTag.generalizedTime, Buffer.from(digits));
}

/** Of an authority below which there is no other one. */
export function authorityExtensions(keyIdentifier: Buffer): Buffer {
  return extensionsOf([
    extension(ids.basicConstraints, true, sequence(yes, derValue(derTag.integer, Buffer.of(0)))),
    // Signs certificates and lists of revoked ones: bits 5 and 6.
    extension(ids.keyUsage, true, derValue(derTag.bitString, Buffer.of(1, 0x06))),
    extension(ids.subjectKeyIdentifier, false, derValue(derTag.octetString, keyIdentifier)),
  ]);
}

export function certificateExtensions(
  { hosts, usages }: Pick<CertificateRequest, 'hosts' | 'usages'>,
  keyIdentifier: Buffer,
  authorityKeyIdentifier: Buffer,
): Buffer {
  const allowed = usages.map((usage) => derObjectIdentifier(extendedUsages[usage]));
  return extensionsOf([
    extension(ids.basicConstraints, true, sequence()),
    // Signs what it says: bit 0.
    extension(ids.keyUsage, true, derValue(derTag.bitString, Buffer.of(7, 0x80))),
    extension(ids.extendedKeyUsage, false, sequence(...allowed)),
    ...(hosts.length === 0
      ? []
      : [extension(ids.subjectAlternativeName, false, sequence(...hosts.map(hostOf)))]),
    extension(ids.subjectKeyIdentifier, false, derValue(derTag.octetString, keyIdentifier)),
    extension(ids.authorityKeyIdentifier, false, sequence(derValue(implicitZero, authorityKeyIdentifier))),
  ]);
}

/** What a certificate says of itself that those below it repeat. */
export interface IssuerParts {
  readonly subject: Buffer;
  /** Absent: it has none. */
  readonly keyIdentifier: Buffer | undefined;
}

/** @throws Error if the bytes are no certificate */
export function issuerPartsOf(certificate: Buffer): IssuerParts {
  const [outer] = derNodes(certificate) ?? [];
  const [signed] = membersOf(outer);
  const members = membersOf(signed);
  // A number of the version comes first, but in certificates of version 1.
  const at = members[0]?.tag === contextTag(0, { isConstructed: true }) ? 5 : 4;
  const subject = members[at];
  if (subject?.tag !== derTag.sequence) throw new Error('the certificate of the authority cannot be read');
  const [extensions] = membersOf(members.find(({ tag }) => tag === extensionsTag));
  const wanted = derObjectIdentifier(ids.subjectKeyIdentifier).subarray(2);
  const found = membersOf(extensions)
    .map((each) => membersOf(each))
    .find(([id]) => id?.content.equals(wanted));
  return {
    subject: derValue(subject.tag, subject.content),
    keyIdentifier: membersOf(found?.at(-1))[0]?.content,
  };
}

function membersOf(node: DerNode | undefined): readonly DerNode[] {
  return node === undefined ? [] : (derNodes(node.content) ?? []);
}

function extensionsOf(extensions: readonly Buffer[]): Buffer {
  return derValue(extensionsTag, sequence(...extensions));
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  const mark = isCritical ? [yes] : [];
  return sequence(derObjectIdentifier(id), ...mark, derValue(derTag.octetString, value));
}

function hostOf(host: string): Buffer {
  const family = isIP(host);
  if (family === 0) return derValue(dnsName, Buffer.from(host));
  return derValue(ipAddress, family === 4 ? Buffer.from(host.split('.').map(Number)) : bytesOfIpv6(host));
}

function bytesOfIpv6(host: string): Buffer {
  // Hexadecimal throughout, without a zone.
  const { hostname } = new URL(`http://[${host.split('%')[0] ?? ''}]`);
  const [head = '', tail] = hostname.slice(1, -1).split('::');
  const [before, after] = [head, tail ?? ''].map((half) => (half === '' ? [] : half.split(':'))) as [
    string[],
    string[],
  ];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return Buffer.from(
    [...before, ...(tail === undefined ? [] : zeros), ...after]
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  );
}
