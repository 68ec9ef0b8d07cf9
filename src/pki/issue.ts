/** Issues CAs and certificates (ECDSA P-256). */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  randomBytes,
  sign,
  X509Certificate,
  type KeyObject,
} from 'node:crypto';
import { promisify } from 'node:util';
import { contextTag, derNodes, derObjectIdentifier, derTag, derValue } from '../base/der.ts';
import {
  authorityExtensions,
  certificateExtensions,
  issuerPartsOf,
  nameOf,
  sequence,
  validityOf,
  type Validity,
} from './certificate-encoding.ts';
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

/** `ecdsa-with-SHA256` and, for authorities that were made elsewhere, `sha256WithRSAEncryption`. */
const signatures: Readonly<Record<string, Buffer>> = {
  ec: sequence(derObjectIdentifier('1.2.840.10045.4.3.2')),
  rsa: sequence(derObjectIdentifier('1.2.840.113549.1.1.11'), Buffer.of(0x05, 0)),
};

/** Of version 3. */
const version = derValue(contextTag(0, { isConstructed: true }), derValue(derTag.integer, Buffer.of(2)));

interface Contents {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly during: Validity;
  readonly publicKey: KeyObject;
  readonly extensions: Buffer;
}

/** What those below an authority repeat of it. */
interface Issuer {
  readonly subject: Buffer;
  readonly keyIdentifier: Buffer;
}

/** A self-signed CA without intermediate CAs. */
export async function makeAuthority(commonName: string, now: number, days = authorityDays): Promise<PemPair> {
  const { publicKey, privateKey } = await newKeys();
  const about = { subject: nameOf({ commonName }), keyIdentifier: keyIdentifierOf(publicKey) };
  return pair(selfSigned(about, privateKey, validity(now, days)), privateKey);
}

/**
 * The same authority with another certificate: key and name stay, so that who has the former certificate trusts what
 * this one signs. It is valid whenever the former was, and for ten years from now.
 */
export function renewAuthority(former: PemPair, now: number): PemPair {
  const known = new X509Certificate(former.certificate);
  const key = createPrivateKey(former.key);
  const { from, until } = validity(now, authorityDays);
  const certificate = selfSigned(issuerOf(known), key, {
    from: Math.min(from, known.validFromDate.getTime()),
    until: Math.max(until, known.validToDate.getTime()),
  });
  return { certificate: pemOf(certificate), key: former.key };
}

function selfSigned({ subject, keyIdentifier }: Issuer, key: KeyObject, during: Validity): Buffer {
  const extensions = authorityExtensions(keyIdentifier);
  return signed({ issuer: subject, subject, during, publicKey: createPublicKey(key), extensions }, key);
}

/**
 * A certificate signed by a CA.
 * @throws Error if the key of the CA can sign no certificates: RSA and EC can
 */
export async function makeCertificate(
  authority: PemPair,
  request: CertificateRequest,
  now: number,
  days = certificateDays,
): Promise<PemPair> {
  const { publicKey, privateKey } = await newKeys();
  const signingKey = createPrivateKey(authority.key);
  const issuer = issuerOf(new X509Certificate(authority.certificate));
  const contents = {
    issuer: issuer.subject,
    subject: nameOf(request),
    during: validity(now, days),
    publicKey,
    extensions: certificateExtensions(request, keyIdentifierOf(publicKey), issuer.keyIdentifier),
  };
  return pair(signed(contents, signingKey), privateKey);
}

function signed(contents: Contents, key: KeyObject): Buffer {
  const algorithm = signatures[key.asymmetricKeyType ?? ''];
  if (algorithm === undefined)
    throw new Error(`keys of type ${String(key.asymmetricKeyType)} sign no certificates`);
  const { issuer, subject, during, publicKey, extensions } = contents;
  const about = sequence(
    ...[version, serialNumber(), algorithm, issuer, validityOf(during), subject],
    ...[publicKey.export({ type: 'spki', format: 'der' }), extensions],
  );
  return sequence(about, algorithm, bitString(sign('sha256', about, key)));
}

/** A bit string of whole bytes. */
function bitString(bytes: Buffer): Buffer {
  return derValue(derTag.bitString, Buffer.of(0), bytes);
}

function issuerOf(certificate: X509Certificate): Issuer {
  const { subject, keyIdentifier } = issuerPartsOf(certificate.raw);
  return { subject, keyIdentifier: keyIdentifier ?? keyIdentifierOf(certificate.publicKey) };
}

/** RFC 5280, 4.2.1.2, method 1: SHA-1 of the key without its algorithm. */
function keyIdentifierOf(key: KeyObject): Buffer {
  const [about] = derNodes(key.export({ type: 'spki', format: 'der' })) ?? [];
  const [, bits] = about === undefined ? [] : (derNodes(about.content) ?? []);
  return createHash('sha1')
    .update(bits?.content.subarray(1) ?? '')
    .digest();
}

function newKeys(): Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }> {
  return promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
}

function pair(certificate: Buffer, key: KeyObject): PemPair {
  return {
    certificate: pemOf(certificate),
    key: key.export({ type: 'pkcs8', format: 'pem' }),
  };
}

function pemOf(certificate: Buffer): string {
  return new X509Certificate(certificate).toString();
}

/** 127 random bits, positive. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x7f) | 0x01, 0);
  return derValue(derTag.integer, bytes);
}

/** The greatest time of a certificate (RFC 5280, 4.1.2.5). */
const endOfTime = Date.UTC(9999, 11, 31, 23, 59, 59);

function validity(now: number, days: number): Validity {
  return { from: now - backdateMs, until: Math.min(now + days * dayMs, endOfTime) };
}
