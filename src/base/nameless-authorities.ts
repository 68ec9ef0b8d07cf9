/**
 * Servers whose certificates have neither a subject nor an issuer, as some operators make them for their webhooks. OpenSSL
 * takes such a certificate for signed by itself, and looks for no authority. The reference looks for one that has no
 * subject, too, and for its signature: so do we, where the bundle that a server is verified by has such an authority.
 */
import { X509Certificate } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { checkServerIdentity, TLSSocket, type SecureContextOptions } from 'node:tls';
import { systemClock } from './clock.ts';

/** What OpenSSL says of such a certificate, if it finds nothing else wrong with it. */
const takenForSelfSigned = 'DEPTH_ZERO_SELF_SIGNED_CERT';
/** id-kp-serverAuth and anyExtendedKeyUsage (RFC 5280, section 4.2.1.12). */
const serverPurposes: ReadonlySet<string> = new Set(['1.3.6.1.5.5.7.3.1', '2.5.29.37.0']);
/** Shorter keys are not accepted by OpenSSL, either. */
const leastModulusBits = 2_048;
const weakSignature = /md5|sha1(?!\d)/i;
/** Of a bundle; each is parsed. */
const mostAuthorities = 100;

/** The authorities without a subject in a bundle of PEM. */
export function namelessAuthorities({ ca }: SecureContextOptions): readonly X509Certificate[] {
  const text = [ca ?? []].flat().join('\n');
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.slice(0, mostAuthorities).flatMap((block) => {
    const authority = certificateIn(block);
    return authority !== undefined && isEmpty(authority.subject) && authority.ca ? [authority] : [];
  });
}

/** undefined for what cannot be read: TLS has its own opinion of that. */
function certificateIn(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/**
 * Ends a connection, which was opened without a verification that ends it, unless the server is verified or one of these
 * authorities signed its certificate. Call it when the socket was made: nothing is sent before it has been judged.
 * @param host the name or address that the certificate has to be for
 */
export function verifyByNameless(
  socket: Duplex,
  authorities: readonly X509Certificate[],
  host: string,
): void {
  if (!(socket instanceof TLSSocket)) {
    socket.destroy(new Error('a connection without TLS verifies no server'));
    return;
  }
  socket.prependOnceListener('secureConnect', () => {
    if (socket.authorized) return;
    // Node declares an error and gives its code.
    const code = String(socket.authorizationError);
    const certificate = socket.getPeerX509Certificate();
    const isKnown =
      code === takenForSelfSigned &&
      certificate !== undefined &&
      authorities.some((authority) => isSignedBy(certificate, authority));
    const error =
      checkServerIdentity(host, socket.getPeerCertificate()) ?? (isKnown ? undefined : refusal(code));
    if (error !== undefined) socket.destroy(error);
  });
}

function refusal(code: string): Error {
  return Object.assign(new Error(`the certificate of the server is not trusted: ${code}`), { code });
}

/** As Certificate.Verify of crypto/x509: names, signature, times, and what both may be used for. */
function isSignedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return (
    isEmpty(certificate.subject) &&
    isEmpty(certificate.issuer) &&
    certificate.checkIssued(authority) &&
    hasStrongSignature(certificate, authority) &&
    certificate.verify(authority.publicKey) &&
    [certificate, authority].every(isValidNow) &&
    isForServers(certificate)
  );
}

/** Older versions of Node type both, and give nothing, for a name that is empty. */
function isEmpty(name: string | undefined): boolean {
  return name === undefined || name === '';
}

function hasStrongSignature(certificate: X509Certificate, { publicKey }: X509Certificate): boolean {
  const { modulusLength = leastModulusBits } = publicKey.asymmetricKeyDetails ?? {};
  // Newer versions of Node have it.
  const { signatureAlgorithm = '' } = certificate as { readonly signatureAlgorithm?: string };
  return modulusLength >= leastModulusBits && !weakSignature.test(signatureAlgorithm);
}

/** By the time of the machine, as TLS itself. */
function isValidNow({ validFrom, validTo }: X509Certificate): boolean {
  const now = systemClock.now();
  return Date.parse(validFrom) <= now && now <= Date.parse(validTo);
}

/** Node calls the extended usages so. */
function isForServers({ keyUsage }: X509Certificate): boolean {
  const purposes = keyUsage as readonly string[] | undefined;
  return purposes === undefined || purposes.some((purpose) => serverPurposes.has(purpose));
}
