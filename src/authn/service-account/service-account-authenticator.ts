/**
 * Service account tokens. A token's signature is verified once and cached; its times, its audience and the objects that
 * it lives with are checked at each request:
 *
 * not a JWT of one of our issuers  → no opinion
 * signature, claims, times         → rejected
 * account, Secret, Pod, Node       → as the view has them; a rejection needs a quorum read, for the view may not have
 * seen yet what was made at another replica
 */
import { atMost } from '../../base/at-most.ts';
import { LRUCache } from 'lru-cache';
import { timingSafeEqual } from 'node:crypto';
import { type PassiveClock } from '../../base/clock.ts';
import { whenReady, type MaybePromise } from '../../base/maybe-promise.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { dayOf, secretTokenLabels, type SecretTokenLabels } from '../../meta/secret-token-labels.ts';
import { accountGroups, accountUserName, type UserInfo } from '../../meta/user.ts';
import { isSignedBy, readUnverified, textClaim, textsClaim, timeClaim, type UnverifiedJwt } from '../jwt.ts';
import { digestOf } from '../secret-digest.ts';
import type {
  AuthenticationRequest,
  AuthenticationResult,
  Authenticator,
  CredentialNotes,
} from '../types.ts';
import { notesOfStale, notesOfUse, type SecretTokenUse, type TokenUse } from './secret-tokens.ts';
import { legacyIssuer, readBoundClaims, readLegacyClaims, type TokenSubject } from './token-claims.ts';
import type { VerificationKey } from './service-account-keys.ts';
import type { TokenObject, TokenObjectKind, TokenObjects } from './token-objects.ts';

const name = 'serviceaccount';
const maxCached = 10_000;
/** How long what is being deleted still counts, so that a pod may end its work. */
const deletionGraceMs = 60_000;
const dayMs = 86_400_000;
/**
 * How far ahead of ours the clock of the replica that issued a token may be, as the reference grants it (the default leeway
 * of go-jose). The end of a token leaves no such room.
 */
const aheadMs = 60_000;

export interface ServiceAccountOptions {
  readonly keys: readonly VerificationKey[];
  readonly naming: NamingProfile;
  /** The issuer of bound tokens. */
  readonly issuer: string;
  /** Audiences of the service: a bound token must name one of these. */
  readonly audiences: readonly string[];
  /** Whether legacy tokens die with their account and Secret; bound ones always do. */
  readonly lookup: boolean;
  readonly objects: TokenObjects;
  /** Whether a feature gate of tokens is on: which extra a user gets, and whether a Node may be what a token lives with. */
  readonly isFeatureEnabled: (gate: string) => boolean;
  /** Records when tokens of Secrets are used (`LegacyServiceAccountTokenTracking`), once a day by the watch cache. */
  readonly noteUse?: ((use: TokenUse) => void) | undefined;
  /** Hears of each use of a token of a Secret: undefined where uses are not told apart. */
  readonly countUse?: ((use: SecretTokenUse | undefined) => void) | undefined;
  /** Hears of each use of a token whose life was extended, and whether it should have been renewed. */
  readonly countBoundUse?: ((isStale: boolean) => void) | undefined;
  readonly clock: PassiveClock;
}

export function createServiceAccountAuthenticator(options: ServiceAccountOptions): Authenticator {
  return new ServiceAccountAuthenticator(options);
}

/** A token whose signature is good. */
interface VerifiedToken {
  readonly digest: Buffer;
  readonly subject: TokenSubject;
  readonly isLegacy: boolean;
  readonly notBefore: number;
  readonly expires: number;
  /** Whom it is meant for, and which of those the service itself is. */
  readonly audiences: readonly string[];
  readonly ownAudiences: readonly string[];
  readonly user: UserInfo;
}

class ServiceAccountAuthenticator implements Authenticator {
  private readonly options: ServiceAccountOptions;
  private readonly clock: PassiveClock;
  private readonly labels: SecretTokenLabels;
  private readonly rejectsInvalid: boolean;
  private readonly tracksUse: boolean;
  private readonly verified = new LRUCache<string, VerifiedToken>(atMost(maxCached));

  constructor(options: ServiceAccountOptions) {
    this.options = options;
    this.clock = options.clock;
    const { naming, isFeatureEnabled } = options;
    this.labels = secretTokenLabels(naming);
    this.rejectsInvalid = isFeatureEnabled('LegacyServiceAccountTokenCleanUp');
    this.tracksUse = isFeatureEnabled('LegacyServiceAccountTokenTracking');
  }

  authenticate(request: AuthenticationRequest): MaybePromise<AuthenticationResult | undefined> {
    const { bearerToken } = request;
    if (!bearerToken.startsWith('ey')) return undefined;
    const digest = digestOf(bearerToken);
    const key = digest.toString('base64');
    const token = this.verified.get(key) ?? this.verify(bearerToken, digest);
    if (token === undefined) return undefined;
    if (typeof token === 'string') return rejected(token);
    this.verified.set(key, token);
    return this.decide(token, request.audiences);
  }

  /** The token, what is wrong with it, or undefined when it is not of our issuers. */
  private verify(text: string, digest: Buffer): VerifiedToken | string | undefined {
    const jwt = readUnverified(text);
    const issuer = jwt && textClaim(jwt.claims, 'iss');
    const isLegacy = issuer === legacyIssuer(this.options.naming);
    if (!jwt || (!isLegacy && issuer !== this.options.issuer)) return undefined;
    if (!this.isSigned(text, jwt)) return 'no key has signed it';
    const { claims } = jwt;
    const subject = (isLegacy ? readLegacyClaims : readBoundClaims)(claims, this.options.naming);
    if (!subject) return 'its claims are not those of a service account';
    const { audiences: own, isFeatureEnabled } = this.options;
    if (subject.bound?.kind === 'Node' && !isFeatureEnabled('ServiceAccountTokenNodeBindingValidation'))
      return 'it is bound to a Node, which the gate ServiceAccountTokenNodeBindingValidation does not let count';
    const audiences = isLegacy ? own : textsClaim(claims, 'aud');
    return {
      ...{ digest, subject, isLegacy },
      notBefore: timeClaim(claims, 'nbf') ?? -Infinity,
      expires: timeClaim(claims, 'exp') ?? Infinity,
      audiences,
      ownAudiences: audiences.filter((audience) => own.includes(audience)),
      user: this.userOf(subject, isLegacy ? '' : textClaim(claims, 'jti')),
    };
  }

  private userOf(subject: TokenSubject, id: string): UserInfo {
    const { naming, isFeatureEnabled } = this.options;
    const { namespace, account } = subject;
    const groups = accountGroups(namespace);
    const extra = extraOf({ subject, id }, naming, isFeatureEnabled);
    return { name: accountUserName(namespace, account.name), uid: account.uid, groups, extra };
  }

  /** A token may name its key (`kid`); a token that names none of ours, or no key, is tried with all. */
  private isSigned(text: string, { algorithm, keyId }: UnverifiedJwt): boolean {
    const usable = this.options.keys.filter((key) => key.algorithm === algorithm);
    const named = usable.filter((key) => key.id === keyId);
    return (named.length > 0 ? named : usable).some((key) => isSignedBy(text, key.publicKey, key.algorithm));
  }

  private decide(
    token: VerifiedToken,
    requested: readonly string[] | undefined,
  ): MaybePromise<AuthenticationResult> {
    const now = this.clock.now();
    // Negated, so that a time which is no number is never good.
    if (!(now < token.expires)) return rejected('expired');
    if (!(now + aheadMs >= token.notBefore)) return rejected('not valid yet');
    const audiences = requested ? token.audiences.filter((a) => requested.includes(a)) : token.ownAudiences;
    if (audiences.length === 0) return rejected('meant for another audience');
    return whenReady(this.problemOfObjects(token, now), (problem) => {
      const notes = token.isLegacy ? this.noteUse(token, now, problem) : this.noteAge(token, now, problem);
      return problem === ''
        ? { outcome: 'authenticated', user: token.user, authenticator: name, audiences, notes }
        : { ...rejected(problem), notes };
    });
  }

  /** Tokens whose life was extended say when they should have been renewed. */
  private noteAge(
    { subject, user }: VerifiedToken,
    now: number,
    problem: string,
  ): CredentialNotes | undefined {
    if (problem !== '' || subject.warnAfter === undefined) return undefined;
    const isStale = now > subject.warnAfter * 1000;
    this.options.countBoundUse?.(isStale);
    if (!isStale) return undefined;
    const seconds = Math.floor(now / 1000) - Math.floor(subject.warnAfter);
    return notesOfStale(this.options.naming, user.name, seconds);
  }

  /** Notes the use of a token of a Secret; one that counts no more is used, too. */
  private noteUse(token: VerifiedToken, now: number, problem: string): CredentialNotes {
    const { naming, countUse } = this.options;
    const { namespace, bound } = token.subject;
    const secret = `${namespace}/${bound?.name ?? ''}`;
    const use = this.useOf(token, problem);
    countUse?.(use);
    if (use && bound) this.noteDay(namespace, bound.name, now);
    return notesOfUse(naming, { user: token.user.name, secret, use });
  }

  private useOf({ subject, digest }: VerifiedToken, problem: string): SecretTokenUse | undefined {
    const { namespace, account, bound } = subject;
    const { objects, lookup } = this.options;
    if (!lookup || !bound) return undefined;
    if (problem !== '') {
      const secret = objects.peek('Secret', `${namespace}/${bound.name}`);
      return legacySecretProblem(secret, digest) === '' && this.invalidity(secret) !== ''
        ? 'invalid'
        : undefined;
    }
    if (!this.tracksUse) return undefined;
    const { secrets } = objects.peek('ServiceAccount', `${namespace}/${account.name}`) ?? {};
    return secrets?.has(bound.name) === true ? 'automatic' : 'manual';
  }

  private noteDay(namespace: string, name: string, now: number): void {
    const secret = this.options.objects.peek('Secret', `${namespace}/${name}`);
    const lastUsed = secret?.labels?.[this.labels.lastUsed];
    // The clock of another replica may be ahead.
    if (!secret || lastUsed === dayOf(now) || lastUsed === dayOf(now + dayMs)) return;
    this.options.noteUse?.({ namespace, name, uid: secret.uid, day: dayOf(now) });
  }

  /** What is wrong with the objects that the token lives with; '' for nothing. */
  private problemOfObjects(token: VerifiedToken, now: number): MaybePromise<string> {
    if (token.isLegacy && !this.options.lookup) return '';
    const { namespace, account, bound } = token.subject;
    const deletedBefore = token.isLegacy ? Infinity : now - deletionGraceMs;
    const accountProblem = this.problemOf('ServiceAccount', `${namespace}/${account.name}`, (found) =>
      identityProblem(found, account.uid, deletedBefore),
    );
    return whenReady(accountProblem, (problem) => {
      if (problem !== '' || !bound) return problem;
      const key = bound.kind === 'Node' ? bound.name : `${namespace}/${bound.name}`;
      return this.problemOf(bound.kind, key, (found) =>
        token.isLegacy
          ? legacySecretProblem(found, token.digest) || this.invalidity(found)
          : identityProblem(found, bound.uid, deletedBefore),
      );
    });
  }

  /** The cleaner of tokens, or a user, has said that it counts no more. */
  private invalidity(secret: TokenObject | undefined): string {
    const label = this.labels.invalidSince;
    const isMarked = this.rejectsInvalid && (secret?.labels?.[label] ?? '') !== '';
    return isMarked ? `has been marked invalid by the label ${label}` : '';
  }

  private problemOf(
    kind: TokenObjectKind,
    key: string,
    judge: (found: TokenObject | undefined) => string,
  ): MaybePromise<string> {
    const seen = judge(this.options.objects.peek(kind, key));
    if (seen === '') return '';
    return this.options.objects.read(kind, key).then((found) => {
      const problem = judge(found);
      return problem === '' ? '' : `${kind} ${key} ${problem}`;
    });
  }
}

function identityProblem(found: TokenObject | undefined, uid: string, deletedBefore: number): string {
  if (found === undefined) return 'does not exist';
  if (found.uid !== uid) return 'is another one of the same name';
  return (found.deletedAt ?? Infinity) < deletedBefore ? 'was deleted' : '';
}

function legacySecretProblem(found: TokenObject | undefined, digest: Buffer): string {
  if (found === undefined) return 'does not exist';
  if (found.deletedAt !== undefined) return 'was deleted';
  const isSame = found.tokenDigest !== undefined && timingSafeEqual(found.tokenDigest, digest);
  return isSame ? '' : 'holds another token';
}

function rejected(problem: string): AuthenticationResult {
  return { outcome: 'rejected', authenticator: name, reason: `service account token: ${problem}` };
}

interface Identified {
  readonly subject: TokenSubject;
  /** The id of the token; '' for none. */
  readonly id: string;
}

/** What the token lives with, where its Pod runs, and which token it is (KEP-4193). */
function extraOf(
  { subject: { bound, node }, id }: Identified,
  { labelDomain }: NamingProfile,
  isFeatureEnabled: (gate: string) => boolean,
): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  const note = (name: string, value: string): void => {
    if (value !== '') extra[`authentication.${labelDomain}/${name}`] = [value];
  };
  if (bound?.kind === 'Pod') {
    note('pod-name', bound.name);
    note('pod-uid', bound.uid);
  }
  if (isFeatureEnabled('ServiceAccountTokenJTI') && id !== '') note('credential-id', `JTI=${id}`);
  const showsNode = isFeatureEnabled('ServiceAccountTokenPodNodeInfo');
  const at = bound?.kind === 'Node' ? bound : showsNode ? node : undefined;
  note('node-name', at?.name ?? '');
  note('node-uid', at?.uid ?? '');
  return extra;
}
