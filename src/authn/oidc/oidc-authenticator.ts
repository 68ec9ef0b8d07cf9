/**
 * ID tokens of an OpenID provider. A token's signature is verified once and cached while the provider's keys stay the
 * same; its times are checked at each request.
 */
import { LRUCache } from 'lru-cache';
import { type PassiveClock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { whenReady, type MaybePromise } from '../../base/maybe-promise.ts';
import type { UserInfo } from '../../meta/user.ts';
import {
  isSignedBy,
  readUnverified,
  textClaim,
  timeClaim,
  type SigningAlgorithm,
  type UnverifiedJwt,
} from '../jwt.ts';
import { digestText } from '../secret-digest.ts';
import { mostCachedWeight, tooMuchOf, userWeight } from '../user-bounds.ts';
import type { AuthenticationRequest, AuthenticationResult, Authenticator } from '../types.ts';
import type { Identify } from './mapped-identity.ts';
import type { KeySet } from './oidc-provider.ts';

const name = 'oidc';
/** A power of two, as weights are integers. */
const maxCached = 8_192;
/** How far ahead of ours the provider's clock may be. A token's end leaves no such room. */
const aheadMs = 5 * 60_000;

/** Where keys come from. */
export interface KeySource {
  /** The keys as last fetched; another object when they have changed, undefined before the first. */
  keySet(): KeySet | undefined;
  /** Fetches the keys again, unless they were fetched moments ago. */
  refresh(): Promise<void>;
}

export interface OidcOptions {
  readonly issuer: string;
  readonly identify: Identify;
  readonly algorithms: readonly SigningAlgorithm[];
  readonly provider: KeySource;
  readonly clock: PassiveClock;
  /** Called with each decision on a token of this issuer, and how long it took. */
  readonly onDecided?: (isAccepted: boolean, seconds: number) => void;
}

export function createOidcAuthenticator(options: OidcOptions): Authenticator {
  return new OidcAuthenticator(options);
}

interface VerifiedToken {
  readonly checkedWith: KeySet;
  readonly user: UserInfo;
  readonly notBefore: number;
  readonly expires: number;
}

class OidcAuthenticator implements Authenticator {
  private readonly options: OidcOptions;
  private readonly clock: PassiveClock;
  private readonly verified = new LRUCache<string, VerifiedToken>({
    maxSize: mostCachedWeight,
    sizeCalculation: ({ user }) => mostCachedWeight / maxCached + userWeight(user),
  });
  /** Requests with the same token share a decision. */
  private readonly pending = new Map<string, Promise<AuthenticationResult | undefined>>();

  constructor(options: OidcOptions) {
    this.options = options;
    this.clock = options.clock;
  }

  authenticate({ bearerToken }: AuthenticationRequest): MaybePromise<AuthenticationResult | undefined> {
    if (!bearerToken.startsWith('ey')) return undefined;
    const start = this.clock.monotonic();
    return whenReady(this.decideOn(bearerToken), (result) => {
      if (result !== undefined)
        this.options.onDecided?.(result.outcome === 'authenticated', (this.clock.monotonic() - start) / 1000);
      return result;
    });
  }

  private decideOn(bearerToken: string): MaybePromise<AuthenticationResult | undefined> {
    const key = digestText(bearerToken);
    const known = this.verified.get(key);
    if (known && known.checkedWith === this.options.provider.keySet()) return this.decide(known);
    const running = this.pending.get(key);
    if (running) return running;
    const decision = this.judge(bearerToken, key);
    if (!(decision instanceof Promise)) return decision;
    const shared = decision.finally(() => this.pending.delete(key));
    this.pending.set(key, shared);
    return shared;
  }

  private judge(bearerToken: string, key: string): MaybePromise<AuthenticationResult | undefined> {
    const jwt = readUnverified(bearerToken);
    if (!jwt || textClaim(jwt.claims, 'iss') !== this.options.issuer) return undefined;
    return whenReady(this.signedWith(bearerToken, jwt), (keySet) => {
      if (!keySet) return rejected('no key of the provider has signed it');
      return whenReady(this.read(jwt.claims, keySet), (token) => {
        if (typeof token === 'string') return rejected(token);
        this.verified.set(key, token);
        return this.decide(token);
      });
    });
  }

  /** The key set of which one has signed the token. A new key may have signed it, whatever it says of its key. */
  private signedWith(token: string, jwt: UnverifiedJwt): MaybePromise<KeySet | undefined> {
    const { provider, algorithms } = this.options;
    const algorithm = algorithms.find((a) => a === jwt.algorithm);
    if (!algorithm) return undefined;
    const hasSigned = (keySet: KeySet | undefined): boolean =>
      keysFor(keySet, jwt).some(({ key }) => isSignedBy(token, key, algorithm));
    const known = provider.keySet();
    if (hasSigned(known)) return known;
    return provider.refresh().then(() => {
      const fresh = provider.keySet();
      return fresh !== known && hasSigned(fresh) ? fresh : undefined;
    });
  }

  private read(claims: JsonObject, checkedWith: KeySet): MaybePromise<VerifiedToken | string> {
    return whenReady(this.options.identify(claims), (user) => {
      if (typeof user === 'string') return user;
      const problem = tooMuchOf(user);
      if (problem !== '') return problem;
      const notBefore = timeClaim(claims, 'nbf') ?? -Infinity;
      return { checkedWith, user, notBefore, expires: timeClaim(claims, 'exp') ?? NaN };
    });
  }

  /** Negated comparisons, so that a time which is no number is never good. */
  private decide({ user, notBefore, expires }: VerifiedToken): AuthenticationResult {
    const now = this.clock.now();
    if (!(now < expires)) return rejected('expired');
    if (!(now + aheadMs >= notBefore)) return rejected('not valid yet');
    return { outcome: 'authenticated', user, authenticator: name };
  }
}

/** Keys that a token is tried with: each may take a millisecond, for a token of anybody. */
const mostTries = 16;

function keysFor(keySet: KeySet | undefined, { keyId }: UnverifiedJwt): KeySet['keys'] {
  const keys = keySet?.keys ?? [];
  return (keyId === '' ? keys : keys.filter((key) => key.id === keyId)).slice(0, mostTries);
}

function rejected(problem: string): AuthenticationResult {
  return { outcome: 'rejected', authenticator: name, reason: `ID token: ${problem}` };
}
