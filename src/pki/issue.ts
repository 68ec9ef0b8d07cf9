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
 * Tolerates clients whose clock is behind, by hours where it is set to local time, and a clock here that ran ahead when
 * they were made and is then set right: no client could connect for as long.
 */
const backdateMs = dayMs;

/** A self-signed CA without intermediate CAs. */
export async function makeAuthority(commonName: string, now: number, days = authorityDays): Promise<PemPair> {
  prepare();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [commonName] }],
    keys,
    signingAlgorithm: algorithm,
    ...validity(now, days),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return pair(certificate, keys.privateKey);
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
    certificate: `${certificate.toString('pem')}\n`,
    key: `${x509.PemConverter.encode(bytes, 'PRIVATE KEY')}\n`,
  };
}

/** 127 random bits, positive. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x7f) | 0x01, 0);
  return bytes.toString('hex');
}

function validity(now: number, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - backdateMs), notAfter: new Date(now + days * dayMs) };
}
