/** Certificates are read by OpenSSL and by another library, and fit to authorities that were made by that. */
import { createPrivateKey, generateKeyPairSync, webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import fc from 'fast-check';

import { der, membersOf, sequence, time } from '../../../src/pki/der.ts';
import { makeAuthority, makeCertificate, renewAuthority } from '../../../src/pki/issue.ts';
import type { PemPair } from '../../../src/pki/types.ts';

const now = Date.parse('2030-05-06T07:08:09.123Z');
const dayMs = 86_400_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const hosts = [
  'localhost',
  '127.0.0.1',
  '::1',
  'a.example',
  '2001:db8::7',
  '::ffff:10.1.2.3',
  'fe80::1%eth0',
];
const request = {
  commonName: 'jane, the “first”',
  organizations: ['system:masters', 'devs'],
  hosts,
  usages: ['server', 'client'] as const,
};

function identifiersOf(pem: string): {
  readonly own: string | undefined;
  readonly issuer: string | undefined;
} {
  const certificate = new x509.X509Certificate(pem);
  return {
    own: certificate.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId,
    issuer: certificate.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId,
  };
}

/** As data folders have them that were made before: by the library. */
async function formerAuthority(): Promise<PemPair> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=former', keys, signingAlgorithm: algorithm },
    ...{ notBefore: new Date(now - dayMs), notAfter: new Date(now + dayMs) },
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { certificate: certificate.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') };
}

test('an authority signs itself, for no other authority below it', async () => {
  const { certificate: pem, key } = makeAuthority('the authority', now);
  const certificate = new X509Certificate(pem);
  expect(certificate).toMatchObject({ ca: true, subject: 'CN=the authority', issuer: 'CN=the authority' });
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  const read = new x509.X509Certificate(pem);
  expect(await read.verify({ date: new Date(now) })).toBe(true);
  expect(read.getExtension(x509.BasicConstraintsExtension)).toMatchObject({
    ...{ ca: true, pathLength: 0, critical: true },
  });
  expect(read.getExtension(x509.KeyUsagesExtension)).toMatchObject({
    ...{ usages: x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, critical: true },
  });
  expect(read.serialNumber).toMatch(/^[0-7][0-9a-f]{31}$/);
});

test('a certificate has its names, addresses and purposes', () => {
  const authority = makeAuthority('ca', now);
  const { certificate: pem, key } = makeCertificate(authority, request, now);
  const [certificate, issuer] = [new X509Certificate(pem), new X509Certificate(authority.certificate)];
  expect(certificate.checkIssued(issuer)).toBe(true);
  expect(certificate.verify(issuer.publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(certificate.ca).toBe(false);
  for (const host of ['localhost', 'a.example']) expect(certificate.checkHost(host)).toBe(host);
  for (const ip of ['127.0.0.1', '::1', '2001:db8::7', '::ffff:10.1.2.3', 'fe80::1'])
    expect(certificate.checkIP(ip)).toBe(ip);
  expect(certificate.checkHost('b.example')).toBeUndefined();
  expect(certificate.validFromDate.getTime()).toBe(Math.floor(now / 1_000) * 1_000 - 365 * dayMs);
  expect(certificate.validToDate.getTime()).toBe(Math.floor(now / 1_000) * 1_000 + 365 * dayMs);
  const read = new x509.X509Certificate(pem);
  expect(read.subjectName.toJSON()).toEqual([
    { O: ['system:masters'] },
    { O: ['devs'] },
    { CN: ['jane, the “first”'] },
  ]);
  expect(read.getExtension(x509.ExtendedKeyUsageExtension)?.usages).toEqual([
    x509.ExtendedKeyUsage.serverAuth,
    x509.ExtendedKeyUsage.clientAuth,
  ]);
  expect(read.getExtension(x509.KeyUsagesExtension)?.usages).toBe(x509.KeyUsageFlags.digitalSignature);
});

test('authorities of the library go on, by their keys and names', async () => {
  const former = await formerAuthority();
  const renewed = renewAuthority(former, now);
  const { own } = identifiersOf(former.certificate);
  expect(own).toMatch(/^[0-9a-f]{40}$/);
  expect(identifiersOf(renewed.certificate).own).toBe(own);
  expect(new X509Certificate(renewed.certificate).subject).toBe('CN=former');
  const below = makeCertificate(former, request, now);
  expect(identifiersOf(below.certificate).issuer).toBe(own);
  for (const { certificate } of [former, renewed])
    expect(new X509Certificate(below.certificate).checkIssued(new X509Certificate(certificate))).toBe(true);
});

test('one with a key of another kind signs nothing', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const { certificate } = makeAuthority('ca', now);
  expect(() => makeCertificate({ certificate, key }, request, now)).toThrow(
    'no ECDSA key of the curve P-256',
  );
});

test('times are read as they were written, in every century', () => {
  for (const year of [1949, 1950, 1999, 2049, 2050, 2150, 9999]) {
    const at = Date.UTC(year, 11, 31, 23, 59, 58);
    const { certificate } = makeAuthority('ca', at + 365 * dayMs, 0);
    expect(new X509Certificate(certificate).validFromDate.getTime()).toBe(at);
  }
  expect(time(new Date('2049-12-31T23:59:59.999Z')).subarray(2).toString()).toBe('491231235959Z');
  expect(time(new Date('2050-01-01T00:00:00Z')).subarray(2).toString()).toBe('20500101000000Z');
});

test('values of every length are read again', () => {
  const lengths = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constantFrom(65_535, 65_536, 70_000));
  fc.assert(
    fc.property(fc.array(lengths, { maxLength: 4 }), (all) => {
      const values = all.map((length, i) => der(i + 1, Buffer.alloc(length, i)));
      const [whole] = membersOf(sequence(...values));
      expect(whole?.tag).toBe(0x30);
      const members = membersOf(whole?.content ?? Buffer.alloc(0));
      expect(members.map(({ tag, content }) => [tag, content.length])).toEqual(
        all.map((length, i) => [i + 1, length]),
      );
      const joined = Buffer.concat(members.map((member) => member.whole));
      expect(joined.equals(Buffer.concat(values))).toBe(true);
    }),
  );
});
