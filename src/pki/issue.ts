/**
 * Issues CAs and certificates (X.509 as in RFC 5280; ECDSA P-256). By hand: a library for all that certificates can have
 * takes 5 MB of memory in each test that starts a control plane.
 */
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { isIP } from 'node:net';
import { parseAddress } from '../base/ip-address.ts';
import { bitString, der, fieldTag, membersOf, objectId, sequence, tags, time } from './der.ts';
import type { CertificateRequest, PemPair } from './types.ts';

const dayMs = 86_400_000;
const authorityDays = 3650;
const certificateDays = 365;
/**
 * Tolerates clients whose clock is behind, by hours where it is set to local time, and a clock here that runs ahead, until
 * it is set right and after: no client could connect for as long. Some clients take no server certificate of more than
 * 825 days.
 */
const backdateMs = 365 * dayMs;

const ids = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
};
const usageIds = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' };
const signatureAlgorithm = sequence(objectId('1.2.840.10045.4.3.2'));
const yes = der(tags.boolean, Buffer.from([0xff]));
const version3 = der(fieldTag(0, 'constructed'), der(tags.integer, Buffer.from([2])));

/** What an IPv6 address begins with that maps an IPv4 address. */
const mapped = 0xffffn << 32n;

interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** What a certificate says; names, the key and extensions as DER. */
interface Content {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: Buffer;
  readonly during: Validity;
  readonly extensions: readonly Buffer[];
}

/** A self-signed CA without intermediate CAs. */
export function makeAuthority(commonName: string, now: number, days = authorityDays): PemPair {
  const { publicKey, privateKey } = newKeys();
  const name = nameOf([[ids.commonName, commonName]]);
  return pair(selfSigned(name, publicKey, { key: privateKey, during: validity(now, days) }), privateKey);
}

/**
 * The same authority with another certificate: key and name stay, so that who has the former certificate trusts what
 * this one signs. It is valid whenever the former was, and for ten years from now.
 */
export function renewAuthority(former: PemPair, now: number): PemPair {
  const known = new X509Certificate(former.certificate);
  const { notBefore, notAfter } = validity(now, authorityDays);
  const during = {
    notBefore: notBefore < known.validFromDate ? notBefore : known.validFromDate,
    notAfter: notAfter > known.validToDate ? notAfter : known.validToDate,
  };
  const certificate = selfSigned(subjectOf(known), spkiOf(known.publicKey), {
    key: readKey(former.key),
    during,
  });
  return { certificate, key: former.key };
}

/** A certificate signed by a CA. @throws Error if the key of the CA is no ECDSA P-256 key */
export function makeCertificate(
  authority: PemPair,
  request: CertificateRequest,
  now: number,
  days = certificateDays,
): PemPair {
  const issuer = new X509Certificate(authority.certificate);
  const { publicKey, privateKey } = newKeys();
  const { organizations, commonName } = request;
  const organizationNames = organizations.map((name) => [ids.organization, name] as const);
  const content = {
    issuer: subjectOf(issuer),
    subject: nameOf([...organizationNames, [ids.commonName, commonName]]),
    publicKey,
    during: validity(now, days),
    extensions: extensionsOf(request, publicKey, spkiOf(issuer.publicKey)),
  };
  return pair(signed(content, readKey(authority.key)), privateKey);
}

interface OwnSignature {
  readonly key: KeyObject;
  readonly during: Validity;
}

function selfSigned(name: Buffer, publicKey: Buffer, { key, during }: OwnSignature): string {
  const extensions = [
    // No authority below it.
    extension(ids.basicConstraints, sequence(yes, der(tags.integer, Buffer.from([0]))), 'critical'),
    // keyCertSign and cRLSign.
    extension(ids.keyUsage, bitString(Buffer.from([0x06]), 1), 'critical'),
    extension(ids.subjectKeyIdentifier, der(tags.octetString, identifierOf(publicKey))),
  ];
  return signed({ issuer: name, subject: name, publicKey, during, extensions }, key);
}

function extensionsOf({ usages, hosts }: CertificateRequest, key: Buffer, issuerKey: Buffer): Buffer[] {
  const purposes = sequence(...usages.map((usage) => objectId(usageIds[usage])));
  return [
    extension(ids.basicConstraints, sequence(), 'critical'),
    // digitalSignature.
    extension(ids.keyUsage, bitString(Buffer.from([0x80]), 7), 'critical'),
    ...(usages.length > 0 ? [extension(ids.extendedKeyUsage, purposes)] : []),
    ...(hosts.length > 0 ? [extension(ids.subjectAltName, sequence(...hosts.map(hostName)))] : []),
    extension(ids.subjectKeyIdentifier, der(tags.octetString, identifierOf(key))),
    extension(ids.authorityKeyIdentifier, sequence(der(fieldTag(0), identifierOf(issuerKey)))),
  ];
}

function extension(id: string, value: Buffer, weight?: 'critical'): Buffer {
  const isCritical = weight === 'critical' ? [yes] : [];
  return sequence(objectId(id), ...isCritical, der(tags.octetString, value));
}

/** A DNS name, or the bytes of an address. */
function hostName(host: string): Buffer {
  return isIP(host) ? der(fieldTag(7), addressBytes(host)) : der(fieldTag(2), Buffer.from(host));
}

/** Its 4 or 16 bytes, by how it is written. A certificate knows no zone of this machine. */
function addressBytes(host: string): Buffer {
  const [address = ''] = host.split('%');
  const { family, number = 0n } = parseAddress(address) ?? {};
  if (isIP(address) === 4) return bytesOf(number, 4);
  return bytesOf(family === 'IPv4' ? mapped | number : number, 16);
}

function bytesOf(number: bigint, count: number): Buffer {
  return Buffer.from(number.toString(16).padStart(2 * count, '0'), 'hex');
}

/** @returns the certificate as PEM */
function signed({ issuer, subject, publicKey, during, extensions }: Content, key: KeyObject): string {
  const body = sequence(
    version3,
    der(tags.integer, serialNumber()),
    signatureAlgorithm,
    issuer,
    sequence(time(during.notBefore), time(during.notAfter)),
    subject,
    publicKey,
    der(fieldTag(3, 'constructed'), sequence(...extensions)),
  );
  const whole = sequence(body, signatureAlgorithm, bitString(sign('sha256', body, key)));
  return new X509Certificate(whole).toString();
}

function nameOf(attributes: readonly (readonly [id: string, text: string])[]): Buffer {
  const members = attributes.map(([id, text]) =>
    der(tags.set, sequence(objectId(id), der(tags.utf8String, Buffer.from(text)))),
  );
  return sequence(...members);
}

/** Its subject byte by byte: as what it signs has to name it. */
function subjectOf({ raw }: X509Certificate): Buffer {
  const [whole] = membersOf(raw);
  const [body] = whole ? membersOf(whole.content) : [];
  const [, , , , , subject] = body ? membersOf(body.content) : [];
  if (subject === undefined) throw new Error('the certificate of the authority has no subject');
  return subject.whole;
}

/** The first method of RFC 5280, 4.2.1.2: the SHA-1 of the key without its algorithm. */
function identifierOf(publicKey: Buffer): Buffer {
  const [whole] = membersOf(publicKey);
  const [, bits] = whole ? membersOf(whole.content) : [];
  return createHash('sha1')
    .update(bits?.content.subarray(1) ?? '')
    .digest();
}

interface Keys {
  readonly publicKey: Buffer;
  readonly privateKey: KeyObject;
}

function newKeys(): Keys {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { publicKey: spkiOf(publicKey), privateKey };
}

function spkiOf(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

function readKey(pem: string): KeyObject {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  throw new Error('the key of the authority is no ECDSA key of the curve P-256');
}

function pair(certificate: string, key: KeyObject): PemPair {
  return { certificate, key: key.export({ type: 'pkcs8', format: 'pem' }) };
}

/** 127 random bits, positive. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x7f) | 0x01, 0);
  return bytes;
}

/** The greatest time of a certificate (RFC 5280, 4.1.2.5). */
const endOfTime = Date.UTC(9999, 11, 31, 23, 59, 59);

function validity(now: number, days: number): Validity {
  return {
    notBefore: new Date(now - backdateMs),
    notAfter: new Date(Math.min(now + days * dayMs, endOfTime)),
  };
}
