/** A client's certificates that cost much to judge: many names, below authorities with many name constraints. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { Credential } from './pki.ts';

export interface ChainSize {
  readonly names: number;
  readonly authorities: number;
  readonly constraints: number;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const nameConstraints = '2.5.29.30';
const dayMs = 86_400_000;

/** Their authority is not trusted. */
export async function constrainedChain({ names, authorities, constraints }: ChainSize): Promise<Credential> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const signed = (name: string, issuer: string, extensions: x509.Extension[]): Promise<string> =>
    x509.X509CertificateGenerator.create({
      ...{ subject: `CN=${name}`, issuer: `CN=${issuer}`, signingAlgorithm: algorithm, extensions },
      ...{ publicKey: keys.publicKey, signingKey: keys.privateKey },
      ...{ notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + dayMs) },
    }).then((certificate) => certificate.toString('pem'));
  const authority = new x509.BasicConstraintsExtension(true, undefined, true);
  const limits = new x509.Extension(nameConstraints, false, excludedNames(constraints));
  const above = Array.from({ length: authorities }, (_, i) =>
    signed(`ca-${String(i)}`, `ca-${String(i + 1)}`, [authority, limits]),
  );
  const leaf = signed('leaf', 'ca-0', [
    new x509.SubjectAlternativeNameExtension(
      Array.from({ length: names }, (_, i) => ({ type: 'url', value: `a://${short(i)}` })),
    ),
  ]);
  const cert = (await Promise.all([leaf, ...above])).join('\n');
  const exported = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = `-----BEGIN PRIVATE KEY-----\n${exported.toString('base64')}\n-----END PRIVATE KEY-----\n`;
  return { cert, key, certFile: '', keyFile: '' };
}

function short(i: number): string {
  return i.toString(36).padStart(3, '0');
}

/** NameConstraints of RFC 5280 (section 4.2.1.10), with excluded URIs. */
function excludedNames(count: number): Buffer {
  const subtrees = Array.from({ length: count }, (_, i) => der(0x30, der(0x86, Buffer.from(`y${short(i)}`))));
  return der(0x30, der(0xa1, Buffer.concat(subtrees)));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}
