/**
 * Which authority stands behind a verified chain. TLS verifies certificates against all authorities of the listener at
 * once; where those of clients and those of a proxy differ, each authenticator must know which it was.
 */
import { X509Certificate } from 'node:crypto';

const pem = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^]*?-----END (?:TRUSTED )?CERTIFICATE-----/g;
const maxChain = 10;

/** The certificates of a PEM text. */
export function readCertificates(text: string): readonly X509Certificate[] {
  return (text.match(pem) ?? []).map((block) => new X509Certificate(block));
}

/**
 * Whether one of the authorities issued the leaf, by way of the authorities that came with it. Validity and purposes
 * have been verified by TLS.
 * @param chain as presented, leaf first
 */
export function isIssuedBy(
  chain: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
): boolean {
  const [leaf, ...others] = chain;
  let next = leaf;
  for (let length = 0; next && length < maxChain; length++) {
    const subject: X509Certificate = next;
    if (authorities.some((authority) => hasIssued(authority, subject))) return true;
    next = others.find((other) => other !== subject && hasIssued(other, subject));
  }
  return false;
}

function hasIssued(issuer: X509Certificate, subject: X509Certificate): boolean {
  return issuer.ca && subject.checkIssued(issuer) && subject.verify(issuer.publicKey);
}
