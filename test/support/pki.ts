/** Certificates for tests: one authority, and what it issues. */
import 'reflect-metadata';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { webcrypto } from 'node:crypto';

import * as x509 from '@peculiar/x509';

/** A certificate with its private key, as PEM text and as files. */
export interface Credential {
  readonly cert: string;
  readonly key: string;
  readonly certFile: string;
  readonly keyFile: string;
}

export interface ClientName {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

export interface TestAuthority {
  readonly ca: string;
  readonly caFile: string;
  /** A certificate for a server at 127.0.0.1, ::1, localhost and further `hosts`; usable as client certificate as well. */
  server(name: string, hosts?: readonly string[], lifetimeMs?: number): Promise<Credential>;
  /** A client certificate: the common name is the user, each organization a group. */
  client(name: ClientName, lifetimeMs?: number): Promise<Credential>;
  /** An authority below this one; its clients show its certificate behind their own. */
  intermediate(commonName: string, lifetimeMs?: number): Promise<TestAuthority>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;

interface Issuer {
  readonly name: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly certificate: x509.X509Certificate;
  /** PEM of what its clients show behind their own certificate. */
  readonly chain: string;
}

/**
 * Lifetimes count from now, default 30 days; all certificates are a day old, so that a negative one makes an expired
 * certificate. Makes an authority whose files (and those of what it issues) are written below `folder`. */
export async function makeAuthority(
  folder: string,
  commonName = 'orch test authority',
): Promise<TestAuthority> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${commonName}`,
    keys,
    signingAlgorithm: algorithm,
    ...validity(),
    extensions: authorityExtensions(),
  });
  return authorityOf(folder, { name: certificate.subject, keys, certificate, chain: '' });
}

/** Kinds of keys that a certificate may have besides those of `makeAuthority`. */
const otherKeys = {
  /** Shorter than TLS accepts. */
  'RSA of 1024 bits': {
    ...{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 1024 },
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  Ed25519: { name: 'Ed25519' },
} as const;

/** A server of 127.0.0.1 whose certificate is its own authority, as PEM text. */
export async function selfSigned(kind: keyof typeof otherKeys): Promise<Pick<Credential, 'cert' | 'key'>> {
  x509.cryptoProvider.set(webcrypto);
  const algorithm = otherKeys[kind];
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, [
    'sign',
    'verify',
  ])) as webcrypto.CryptoKeyPair;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=self-signed', keys, signingAlgorithm: algorithm, ...validity() },
    extensions: serverExtensions([]),
  });
  return { cert: certificate.toString('pem'), key: await exportKey(keys.privateKey) };
}

/** What may be wrong with a certificate of `namelessServer`. */
export interface NamelessFaults {
  /** Signed by another authority, as nameless. */
  readonly isForged?: boolean;
  readonly lifetimeMs?: number;
  /** In place of those of servers. */
  readonly purposes?: readonly x509.ExtendedKeyUsage[];
  /** The authority may not sign. */
  readonly isNoAuthority?: boolean;
}

/** A server of localhost whose certificate has no subject and no issuer, and its authority, which has no subject either. */
export async function namelessServer(
  faults: NamelessFaults = {},
): Promise<Pick<Credential, 'cert' | 'key'> & { readonly ca: string }> {
  x509.cryptoProvider.set(webcrypto);
  const [above, others, keys] = [await newKeys(), await newKeys(), await newKeys()];
  const ca = await x509.X509CertificateGenerator.create({
    ...{ subject: '', issuer: 'CN=nobody', publicKey: above.publicKey, signingKey: above.privateKey },
    ...{ signingAlgorithm: algorithm, ...validity() },
    extensions: faults.isNoAuthority === true ? [] : authorityExtensions(),
  });
  const { purposes } = faults;
  const certificate = await x509.X509CertificateGenerator.create({
    ...{ subject: '', issuer: '', publicKey: keys.publicKey, signingAlgorithm: algorithm },
    signingKey: (faults.isForged === true ? others : above).privateKey,
    ...validity(faults.lifetimeMs),
    extensions: [
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }]),
      ...(purposes ? [new x509.ExtendedKeyUsageExtension([...purposes])] : []),
    ],
  });
  return {
    ca: ca.toString('pem'),
    cert: certificate.toString('pem'),
    key: await exportKey(keys.privateKey),
  };
}

async function authorityOf(folder: string, issuer: Issuer): Promise<TestAuthority> {
  const ca = issuer.certificate.toString('pem');
  const caFile = join(folder, 'ca.crt');
  await mkdir(folder, { recursive: true });
  await writeFile(caFile, ca);
  return {
    ca,
    caFile,
    server: (name, hosts = [], lifetimeMs) =>
      issue(issuer, { folder, name, subject: [{ CN: [name] }], hosts, lifetimeMs }),
    client: (who, lifetimeMs) =>
      issue(issuer, { folder, name: who.commonName, subject: subjectOf(who), hosts: undefined, lifetimeMs }),
    intermediate: async (commonName, lifetimeMs) =>
      authorityOf(join(folder, commonName), await makeIntermediate(issuer, commonName, lifetimeMs)),
  };
}

async function makeIntermediate(above: Issuer, commonName: string, lifetimeMs?: number): Promise<Issuer> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    subject: `CN=${commonName}`,
    issuer: above.name,
    publicKey: keys.publicKey,
    signingKey: above.keys.privateKey,
    signingAlgorithm: algorithm,
    ...validity(lifetimeMs),
    extensions: authorityExtensions(),
  });
  const chain = `${certificate.toString('pem')}\n${above.chain}`;
  return { name: certificate.subject, keys, certificate, chain };
}

function authorityExtensions(): x509.Extension[] {
  return [
    new x509.BasicConstraintsExtension(true, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
  ];
}

interface Request {
  readonly folder: string;
  readonly name: string;
  readonly subject: x509.JsonName;
  /** Further names of a server; undefined: of a client. */
  readonly hosts: readonly string[] | undefined;
  readonly lifetimeMs: number | undefined;
}

async function issue(issuer: Issuer, request: Request): Promise<Credential> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    subject: request.subject,
    issuer: issuer.name,
    publicKey: keys.publicKey,
    signingKey: issuer.keys.privateKey,
    signingAlgorithm: algorithm,
    ...validity(request.lifetimeMs),
    extensions: request.hosts ? serverExtensions(request.hosts) : clientExtensions(),
  });
  const key = await exportKey(keys.privateKey);
  const cert = [certificate.toString('pem'), issuer.chain].filter(Boolean).join('\n');
  return save(request, cert, key);
}

async function save(request: Request, cert: string, key: string): Promise<Credential> {
  const role = request.hosts ? 'server' : 'client';
  const base = join(request.folder, `${role}-${request.name}`.replaceAll(/[^A-Za-z0-9.-]/g, '_'));
  const credential = { cert, key, certFile: `${base}.crt`, keyFile: `${base}.key` };
  await writeFile(credential.certFile, cert);
  await writeFile(credential.keyFile, key, { mode: 0o600 });
  return credential;
}

function serverExtensions(hosts: readonly string[]): x509.Extension[] {
  const addresses = new x509.SubjectAlternativeNameExtension([
    { type: 'dns', value: 'localhost' },
    { type: 'ip', value: '127.0.0.1' },
    { type: 'ip', value: '::1' },
    ...hosts.map((value) => ({ type: 'dns' as const, value })),
  ]);
  const usage = new x509.ExtendedKeyUsageExtension([
    x509.ExtendedKeyUsage.serverAuth,
    x509.ExtendedKeyUsage.clientAuth,
  ]);
  return [addresses, usage, new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true)];
}

function clientExtensions(): x509.Extension[] {
  return [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
  ];
}

function subjectOf(who: ClientName): x509.JsonName {
  return [{ CN: [who.commonName] }, ...(who.organizations ?? []).map((group) => ({ O: [group] }))];
}

function validity(lifetimeMs = 30 * dayMs): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - dayMs), notAfter: new Date(now + lifetimeMs) };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = await webcrypto.subtle.exportKey('pkcs8', key);
  return x509.PemConverter.encode(bytes, 'PRIVATE KEY');
}
