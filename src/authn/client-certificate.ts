/**
 * Client certificates (Kubernetes documentation, "X.509 client certificates"): the common name is the user, each
 * organization a group. Node's TLS has verified the chain against the client CA; the dates and the authority are
 * checked again on every request, for a connection may outlive both.
 */
import type { X509Certificate } from 'node:crypto';
import { type PassiveClock } from '../base/clock.ts';
import type { UserInfo } from '../meta/user.ts';
import { ChainVerifier } from './certificate-chain.ts';
import type { AuthenticationRequest, AuthenticationResult, Authenticator } from './types.ts';

const name = 'x509';
const notIssued = 'not issued by the client CA';

/** What a certificate says, read once per connection: requests share the certificate object of their socket. */
interface Identity {
  readonly user: UserInfo | undefined;
  /** Why the subject is of no use; '' if nothing is the matter. */
  readonly problem: string;
  readonly validFrom: number;
  readonly validTo: number;
}

export interface ClientCertificateOptions {
  /** Authorities of clients, as they are now: the same array until they change. */
  readonly authorities: () => readonly X509Certificate[];
  readonly clock: PassiveClock;
  /** The key of `extra` that names the certificate by its digest; absent: none does, as before release 1.32. */
  readonly credentialKey?: string | undefined;
  /** Whether the subject may tell a UID (gate `AllowParsingUserUIDFromCertAuth`); absent: what it tells is ignored. */
  readonly readsUid?: boolean | undefined;
  /** Called for each accepted request with the seconds that the certificate is still valid. */
  readonly onAccepted?: (secondsLeft: number) => void;
}

/** Accepts verified client certificates; rejects unverified and expired ones and those without a common name. */
export function createClientCertificateAuthenticator(options: ClientCertificateOptions): Authenticator {
  const { authorities, clock, onAccepted } = options;
  const verifier = new ChainVerifier(authorities);
  const identities = new WeakMap<X509Certificate, Identity>();
  const identityOf = (leaf: X509Certificate): Identity => {
    const known = identities.get(leaf);
    if (known) return known;
    const read = readIdentity(leaf, options);
    identities.set(leaf, read);
    return read;
  };
  return {
    authenticate({ peer }: AuthenticationRequest): AuthenticationResult | undefined {
      const leaf = peer.certificates[0];
      if (leaf === undefined) return undefined;
      if (!peer.authorized) return reject(notIssued);
      const now = clock.now();
      const identity = identityOf(leaf);
      const result = decide(identity, now);
      if (result.outcome === 'rejected') return result;
      if (!verifier.isIssued(peer.certificates, now)) return reject(notIssued);
      onAccepted?.((identity.validTo - now) / 1000);
      return result;
    },
  };
}

function decide(identity: Identity, now: number): AuthenticationResult {
  if (now < identity.validFrom) return reject('not valid yet');
  if (now > identity.validTo) return reject('expired');
  if (identity.user === undefined) return reject('no common name in the subject');
  if (identity.problem !== '') return reject(identity.problem);
  return { outcome: 'authenticated', user: identity.user, authenticator: name };
}

function reject(problem: string): AuthenticationResult {
  return { outcome: 'rejected', authenticator: name, reason: `client certificate: ${problem}` };
}

function readIdentity(
  certificate: X509Certificate,
  { credentialKey, readsUid = false }: ClientCertificateOptions,
): Identity {
  const subject = subjectOf(certificate);
  const user = userNamedBy(subject);
  const uids = readsUid ? valuesOf(subject, uidAttribute) : [];
  const extra = credentialKey === undefined ? {} : { [credentialKey]: [credentialId(certificate)] };
  return {
    user: user && { ...user, uid: uids[0] ?? '', extra },
    problem: uids.length > 1 || uids[0] === '' ? 'the subject must have one UID that is not empty' : '',
    validFrom: certificate.validFromDate.getTime(),
    validTo: certificate.validToDate.getTime(),
  };
}

/** `X509SHA256=` and the digest of the certificate in lower-case hexadecimal digits. */
function credentialId({ fingerprint256 }: X509Certificate): string {
  return `X509SHA256=${fingerprint256.replaceAll(':', '').toLowerCase()}`;
}

/** The user that a certificate names; undefined without a common name. Of several common names the last counts. */
export function userOf(certificate: X509Certificate): UserInfo | undefined {
  return userNamedBy(subjectOf(certificate));
}

function userNamedBy(subject: Subject): UserInfo | undefined {
  const commonName = valuesOf(subject, 'CN').at(-1);
  if (!commonName) return undefined;
  return { name: commonName, uid: '', groups: [...new Set(valuesOf(subject, 'O'))], extra: {} };
}

/** The attribute that holds the UID of a user (Kubernetes documentation, "X.509 client certificates"). */
const uidAttribute = '1.3.6.1.4.1.57683.2';

/** The values of the attributes; an attribute of several has a list. */
type Subject = Readonly<Record<string, unknown>>;

/**
 * The subject in its structured form: the textual `subject` would have to be parsed, where an escaped line end or a
 * multi-valued name can look like another attribute. Node builds that form at each call, from the whole certificate.
 */
function subjectOf(certificate: X509Certificate): Subject {
  const subject: unknown = certificate.toLegacyObject().subject;
  return (subject as Subject | undefined) ?? {};
}

function valuesOf(subject: Subject, attribute: 'CN' | 'O' | typeof uidAttribute): string[] {
  const values = subject[attribute];
  return (Array.isArray(values) ? values : [values]).filter((value) => typeof value === 'string');
}
