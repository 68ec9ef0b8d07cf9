/**
 * Which certificate authority issued a chain that TLS has verified. TLS verifies certificates once, at the handshake,
 * against all authorities of the listener at once; a connection, and a TLS session that is resumed, may outlive the
 * authorities and the certificates between them and the leaf. As in kube-apiserver the chain is verified again against
 * the current authorities.
 */
import { atMost } from '../base/at-most.ts';
import { LRUCache } from 'lru-cache';
import { X509Certificate } from 'node:crypto';

const pem = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^]*?-----END (?:TRUSTED )?CERTIFICATE-----/g;
const maxChain = 10;

/** Texts that are kept with their certificates. */
const maxTexts = 16;

/** Bundles are read by several parts of a start, and by all control planes of a process. */
const read = new LRUCache<string, readonly X509Certificate[]>(atMost(maxTexts));

/** The certificates of a PEM text: the same array while the text is among the last ones. @throws Error if one is none */
export function readCertificates(text: string): readonly X509Certificate[] {
  const known = read.get(text);
  if (known) return known;
  const certificates = (text.match(pem) ?? []).map((block) => new X509Certificate(block));
  read.set(text, certificates);
  return certificates;
}

/** From when until when something holds, in milliseconds since 1970. */
interface Period {
  readonly from: number;
  readonly to: number;
}

interface Verdict extends Period {
  readonly isIssued: boolean;
  readonly authorities: readonly X509Certificate[];
}

const maxCached = 10_000;
/** A rejected chain is checked again after this time: a certificate may not have been valid yet. */
const refusalMs = 60_000;

/**
 * Verifies chains against the current authorities. Results are cached: signatures are checked once for many
 * connections.
 */
export class ChainVerifier {
  private readonly authorities: () => readonly X509Certificate[];
  /** Of a connection: requests share the certificate objects of their socket. */
  private readonly ofConnection = new WeakMap<X509Certificate, Verdict>();
  private readonly ofChain = new LRUCache<string, Verdict>(atMost(maxCached));

  /** @param authorities gives the same array until they change */
  constructor(authorities: () => readonly X509Certificate[]) {
    this.authorities = authorities;
  }

  /**
   * Whether an authority issued the leaf, by way of certificates that are all valid now. The leaf's own dates are left to
   * the caller, purposes and constraints to TLS.
   * @param chain as presented, leaf first
   */
  isIssued(chain: readonly X509Certificate[], now: number): boolean {
    const [leaf] = chain;
    if (leaf === undefined) return false;
    const known = this.ofConnection.get(leaf);
    if (known && this.holds(known, now)) return known.isIssued;
    const key = chain.map(({ fingerprint256 }) => fingerprint256).join();
    const shared = this.ofChain.get(key);
    const verdict = shared && this.holds(shared, now) ? shared : this.judge(chain, now);
    this.ofChain.set(key, verdict);
    this.ofConnection.set(leaf, verdict);
    return verdict.isIssued;
  }

  private holds(verdict: Verdict, now: number): boolean {
    return verdict.authorities === this.authorities() && now >= verdict.from && now <= verdict.to;
  }

  private judge(chain: readonly X509Certificate[], now: number): Verdict {
    const authorities = this.authorities();
    const period = issuedPeriod(chain, authorities, now);
    return { authorities, isIssued: period !== undefined, ...(period ?? { from: now, to: now + refusalMs }) };
  }
}

/** How long the issuers on a way from the leaf to a self-issued authority are all valid; undefined: there is no such way now. */
function issuedPeriod(
  chain: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  now: number,
): Period | undefined {
  const [leaf, ...others] = chain.slice(0, maxChain);
  const seen = new Set<X509Certificate>();
  const wayUp = (subject: X509Certificate, isTrusted: boolean): Period | undefined => {
    if (isTrusted && isSelfIssued(subject)) return { from: -Infinity, to: Infinity };
    for (const issuer of [...authorities, ...others]) {
      if (seen.has(issuer)) continue;
      const own = validity(issuer);
      if (!(now >= own.from && now <= own.to) || !hasIssued(issuer, subject)) continue;
      seen.add(issuer);
      const above = wayUp(issuer, authorities.includes(issuer));
      if (above) return { from: Math.max(own.from, above.from), to: Math.min(own.to, above.to) };
    }
    return undefined;
  };
  return leaf && wayUp(leaf, false);
}

function validity(certificate: X509Certificate): Period {
  return { from: certificate.validFromDate.getTime(), to: certificate.validToDate.getTime() };
}

/** An authority of X.509 version 1 has no mark of one; it is one only because it is trusted, which TLS has judged. */
function hasIssued(issuer: X509Certificate, subject: X509Certificate): boolean {
  const mayIssue = issuer.ca || isSelfIssued(issuer);
  return mayIssue && subject.checkIssued(issuer) && subject.verify(issuer.publicKey);
}

function isSelfIssued(certificate: X509Certificate): boolean {
  return certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey);
}
