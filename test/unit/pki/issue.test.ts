/** Certificates as other libraries read them. */
import 'reflect-metadata';
import { generateKeyPairSync, webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { makeAuthority, makeCertificate, renewAuthority } from '../../../src/pki/issue.ts';
import type { CertificateRequest, PemPair } from '../../../src/pki/types.ts';

const now = Date.UTC(2026, 5, 1);
const dayMs = 86_400_000;
const server: CertificateRequest = {
  commonName: 'böse: 衬衫',
  organizations: ['system:masters', 'folders'],
  hosts: ['localhost', '127.0.0.1', '::1', 'fe80::12:0:3', '::ffff:10.1.2.3'],
  usages: ['server', 'client'],
};

let authority: PemPair;
beforeAll(async () => {
  x509.cryptoProvider.set(webcrypto);
  authority = await makeAuthority('shop', now);
});

const read = ({ certificate }: PemPair): x509.X509Certificate => new x509.X509Certificate(certificate);
const keyIdentifier = (of: PemPair): string | undefined =>
  read(of).getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
const issuerIdentifier = (of: PemPair): string | undefined =>
  read(of).getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId;

test('an authority signs certificates and no authorities', async () => {
  const found = read(authority);
  expect(await found.isSelfSigned()).toBe(true);
  expect(found.subject).toBe('CN=shop');
  expect(found.getExtension(x509.BasicConstraintsExtension)).toMatchObject({
    ...{ ca: true, pathLength: 0, critical: true },
  });
  const usage = found.getExtension(x509.KeyUsagesExtension);
  expect(usage).toMatchObject({
    critical: true,
    usages: x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
  });
  const identifier = await x509.SubjectKeyIdentifierExtension.create(found.publicKey);
  expect(keyIdentifier(authority)).toBe(identifier.keyId);
});

test('a certificate has names, hosts and usages, and is signed by its authority', async () => {
  const made = await makeCertificate(authority, server, now);
  const found = read(made);
  expect(await found.verify({ publicKey: read(authority), signatureOnly: true })).toBe(true);
  expect(found.subjectName.toJSON()).toEqual([
    ...[{ O: ['system:masters'] }, { O: ['folders'] }, { CN: ['böse: 衬衫'] }],
  ]);
  expect([found.issuer, found.serialNumber.length]).toEqual(['CN=shop', 32]);
  expect(found.getExtension(x509.BasicConstraintsExtension)).toMatchObject({ ca: false, critical: true });
  expect(found.getExtension(x509.KeyUsagesExtension)).toMatchObject({
    ...{ usages: x509.KeyUsageFlags.digitalSignature, critical: true },
  });
  expect(found.getExtension(x509.ExtendedKeyUsageExtension)?.usages).toEqual([
    ...[x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth],
  ]);
  expect(issuerIdentifier(made)).toBe(keyIdentifier(authority));
  const { subjectAltName } = new X509Certificate(made.certificate);
  expect(subjectAltName).toBe(
    'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:FE80:0:0:0:0:12:0:3, IP Address:0:0:0:0:0:FFFF:A01:203',
  );
});

test('a client has no alternative names', async () => {
  const made = await makeCertificate(authority, { ...server, hosts: [], usages: ['client'] }, now);
  expect(read(made).getExtension(x509.SubjectAlternativeNameExtension)).toBeNull();
  expect(new X509Certificate(made.certificate).checkIssued(new X509Certificate(authority.certificate))).toBe(
    true,
  );
});

test.each([1, 8, 20, 200, 5_000])('%i hosts fit', async (count) => {
  const hosts = Array.from({ length: count }, (_, i) => `host-${String(i)}.shop.test`);
  const made = await makeCertificate(authority, { ...server, hosts }, now);
  const { subjectAltName } = new X509Certificate(made.certificate);
  expect(subjectAltName).toBe(hosts.map((host) => `DNS:${host}`).join(', '));
});

test.each([
  ['of two digits', 2049, 2],
  ['of four digits', 2050, 2],
  ['before those of two digits', 1949, 1],
  ['at the end of time', 9_998, 3_650],
])('years %s are read as they were written', async (_, year, days) => {
  const from = Date.UTC(year, 11, 30, 11, 22, 33);
  const made = read(await makeAuthority('shop', from, days));
  const last = Date.UTC(9999, 11, 31, 23, 59, 59);
  expect(made.notBefore.getTime()).toBe(from - 365 * dayMs);
  expect(made.notAfter.getTime()).toBe(Math.min(from + days * dayMs, last));
});

test('an authority of another maker keeps its name and identifier, also when it is renewed', async () => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const other = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: 'C=DE, O=Shop, CN=Other', keys, signingAlgorithm: algorithm },
    notBefore: new Date(now),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.SubjectKeyIdentifierExtension('0102030405'),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  const pair = { certificate: other.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') };
  const made = await makeCertificate(pair, server, now);
  expect([read(made).issuer, issuerIdentifier(made)]).toEqual(['C=DE, O=Shop, CN=Other', '0102030405']);
  const renewed = renewAuthority(pair, now);
  expect([read(renewed).subject, keyIdentifier(renewed)]).toEqual(['C=DE, O=Shop, CN=Other', '0102030405']);
  expect(new X509Certificate(made.certificate).checkIssued(new X509Certificate(renewed.certificate))).toBe(
    true,
  );
});

test('the key of an authority may be RSA; one that cannot sign is refused', async () => {
  const algorithm = {
    ...{ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048 },
    publicExponent: Uint8Array.of(1, 0, 1),
  };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const own = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=rsa', keys, signingAlgorithm: algorithm },
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  const pair = { certificate: own.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') };
  const made = new X509Certificate((await makeCertificate(pair, server, now)).certificate);
  expect(made.verify(new X509Certificate(pair.certificate).publicKey)).toBe(true);
  const { privateKey } = generateKeyPairSync('x25519');
  const useless = { ...pair, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) };
  await expect(makeCertificate(useless, server, now)).rejects.toThrow('keys of type x25519 sign no');
});
