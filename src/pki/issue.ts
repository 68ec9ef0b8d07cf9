/**
 * Issues CAs and certificates (ECDSA P-256). The X.509 library takes 0.1 s to load, so this module is imported on
 * demand.
 */
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';
import type { CertificateRequest, PemPair } from './types.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;
const authorityDays = 3650;
const certificateDays = 365;
/**
 * Tolerates clients whose clock is behind, by hours where it is set to local time, and a clock here that runs ahead, until
 * it is set right and after: no client could connect for as long. Some clients take no server certificate of more than
 * 825 days.
 */
const backdateMs = 365 * dayMs;

/** A self-signed CA without intermediate CAs. */
export async function makeAuthority(commonName: string, now: number, days = authorityDays): Promise<PemPair> {
  prepare();
  const keys = await newKeys();
  const certificate = await selfSigned([{ CN: [commonName] }], keys, validity(now, days));
  return pair(certificate, keys.privateKey);
}

/**
 * The same authority with another certificate: key and name stay, so that who has the former certificate trusts what
 * this one signs. It is valid whenever the former was, and for ten years from now.
 */
export async function renewAuthority(former: PemPair, now: number): Promise<PemPair> {
  prepare();
  const known = new x509.X509Certificate(former.certificate);
  const keys = {
    publicKey: await known.publicKey.export(algorithm, ['verify']),
    privateKey: await importKey(former.key),
  };
  const { notBefore, notAfter } = validity(now, authorityDays);
  const certificate = await selfSigned(known.subjectName.toJSON(), keys, {
    notBefore: notBefore < known.notBefore ? notBefore : known.notBefore,
    notAfter: notAfter > known.notAfter ? notAfter : known.notAfter,
  });
  return { certificate: pemOf(certificate), key: former.key };
}

async function selfSigned(
  name: x509.JsonName,
  keys: webcrypto.CryptoKeyPair,
  during: Validity,
): Promise<x509.X509Certificate> {
  return x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name,
    keys,
    signingAlgorithm: algorithm,
    ...during,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
}

/** A certificate signed by a CA. */
export async function makeCertificate(
  authority: PemPair,
  request: CertificateRequest,
  now: number,
  days = certificateDays,
): Promise<PemPair> {
  prepare();
  const issuer = new x509.X509Certificate(authority.certificate);
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [...request.organizations.map((name) => ({ O: [name] })), { CN: [request.commonName] }],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm: algorithm,
    ...validity(now, days),
    extensions: await extensionsOf(request, issuer, keys.publicKey),
  });
  return pair(certificate, keys.privateKey);
}

async function extensionsOf(
  request: CertificateRequest,
  issuer: x509.X509Certificate,
  key: webcrypto.CryptoKey,
): Promise<x509.Extension[]> {
  const usages = { server: x509.ExtendedKeyUsage.serverAuth, client: x509.ExtendedKeyUsage.clientAuth };
  const names = request.hosts.map((host) => ({
    type: isIP(host) ? ('ip' as const) : ('dns' as const),
    value: host,
  }));
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension(request.usages.map((usage) => usages[usage])),
    ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
    await x509.SubjectKeyIdentifierExtension.create(key),
    await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
  ];
}

function prepare(): void {
  x509.cryptoProvider.set(webcrypto);
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const bytes = x509.PemConverter.decodeFirst(pem);
  return webcrypto.subtle.importKey('pkcs8', bytes, algorithm, false, ['sign']);
}

async function pair(certificate: x509.X509Certificate, key: webcrypto.CryptoKey): Promise<PemPair> {
  const bytes = await webcrypto.subtle.exportKey('pkcs8', key);
  return {
    certificate: pemOf(certificate),
    key: `${x509.PemConverter.encode(bytes, 'PRIVATE KEY')}\n`,
  };
}

function pemOf(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

/** 127 random bits, positive. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x7f) | 0x01, 0);
  return bytes.toString('hex');
}

interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** The greatest time of a certificate (RFC 5280, 4.1.2.5). */
const endOfTime = Date.UTC(9999, 11, 31, 23, 59, 59);

function validity(now: number, days: number): Validity {
  return {
    notBefore: new Date(now - backdateMs),
    notAfter: new Date(Math.min(now + days * dayMs, endOfTime)),
  };
}
