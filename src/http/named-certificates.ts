/** Serving certificates by the name that a client asks for in the TLS handshake (SNI, RFC 6066, section 3). */
import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';

/** A certificate chain with its key (PEM), and the names of hosts for which it is shown. */
export interface NamedCertificate {
  readonly cert: string;
  readonly key: string;
  /** DNS names; a first label `*` stands for any one label. If empty, the names that the certificate has. */
  readonly names: readonly string[];
}

const dnsName = /^(?:\*|(?:\*\.)?[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*)$/;
const maxNameLength = 253;

/** Whether a name, or a pattern with a first label `*`, may be that of a host. */
export function isHostPattern(name: string): boolean {
  return name.length <= maxNameLength && dnsName.test(name.toLowerCase());
}

/**
 * The contexts of handshakes by name. A name itself comes before a pattern, names that are given before those that a
 * certificate has, and earlier certificates before later ones, as in kube-apiserver.
 */
export class NamedContexts {
  private readonly contexts: ReadonlyMap<string, SecureContext>;

  /** @param shared options of all contexts, without certificate and key */
  constructor(certificates: readonly NamedCertificate[], shared: SecureContextOptions) {
    const given = new Map<string, SecureContext>();
    const extracted = new Map<string, SecureContext>();
    for (const { cert, key, names } of certificates.toReversed()) {
      const context = createSecureContext({ ...shared, cert, key });
      const target = names.length > 0 ? given : extracted;
      for (const name of names.length > 0 ? names : namesOf(cert)) target.set(name.toLowerCase(), context);
    }
    this.contexts = new Map([...extracted, ...given]);
  }

  /** undefined if the name has no certificate of its own. */
  of(serverName: string): SecureContext | undefined {
    const name = serverName.toLowerCase();
    return this.contexts.get(name) ?? this.contexts.get(name.replace(/^[^.]*/, '*'));
  }
}

/** The common name, if it is that of a host, and the DNS names. Addresses are never asked for by SNI. */
function namesOf(cert: string): string[] {
  const { subject, subjectaltname = '' } = new X509Certificate(cert).toLegacyObject();
  // Node quotes names that hold a separator; none of them is that of a host.
  const others = subjectaltname.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/DNS:([^,]+)/g);
  const commonNames = [subject.CN ?? []].flat().filter((name) => !isAddress(name));
  return [...commonNames, ...[...others].map(([, name = '']) => name)].filter(isHostPattern);
}

function isAddress(name: string): boolean {
  return /^[0-9.]+$/.test(name);
}
