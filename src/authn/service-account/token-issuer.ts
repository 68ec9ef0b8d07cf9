/** Makes service account tokens, legacy and bound. */
import { type PassiveClock } from '../../base/clock.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { sign } from '../jwt.ts';
import { boundClaims, legacyClaims, type TokenSubject } from './token-claims.ts';
import type { SigningKey } from './service-account-keys.ts';

export interface TokenIssuerOptions {
  readonly key: SigningKey;
  readonly naming: NamingProfile;
  /** The issuer of bound tokens. */
  readonly issuer: string;
  /** The audience of bound tokens whose request names none. */
  readonly audiences: readonly string[];
  /** Longest lifetime of a bound token; absent: unlimited. */
  readonly maxLifeSeconds?: number;
  /** The id (`jti`, RFC 7519 section 4.1.7) of the next bound token; absent: tokens have none. */
  readonly newId?: (() => string) | undefined;
  readonly clock: PassiveClock;
}

export interface BoundTokenRequest {
  readonly subject: TokenSubject;
  /** Empty: the service itself. */
  readonly audiences: readonly string[];
  readonly lifeSeconds: number;
}

export interface BoundToken {
  readonly token: string;
  /** The requested lifetime, reduced to the maximum. */
  readonly lifeSeconds: number;
  readonly audiences: readonly string[];
  readonly expires: Date;
  /** Its id; undefined: it has none. */
  readonly id: string | undefined;
}

export class TokenIssuer {
  private readonly options: TokenIssuerOptions;
  private readonly clock: PassiveClock;
  private key: SigningKey;

  constructor(options: TokenIssuerOptions) {
    this.options = options;
    this.key = options.key;
    this.clock = options.clock;
  }

  /** Signs with another key from now on. */
  signWith(key: SigningKey): void {
    this.key = key;
  }

  /** The token of the Secret that the subject is bound to. Always the same but for the signature. */
  legacyToken(subject: TokenSubject): string {
    return sign(legacyClaims(subject, this.options.naming), this.key);
  }

  boundToken(request: BoundTokenRequest): BoundToken {
    const { naming, issuer, newId } = this.options;
    const audiences = request.audiences.length > 0 ? request.audiences : this.options.audiences;
    const now = Math.floor(this.clock.now() / 1000);
    const lifeSeconds = Math.min(request.lifeSeconds, this.options.maxLifeSeconds ?? Infinity);
    const exp = now + lifeSeconds;
    const times = { iat: now, nbf: now, exp };
    const id = newId?.();
    const about = { aud: [...audiences], iss: issuer, ...times, ...(id !== undefined && { jti: id }) };
    const token = sign({ ...about, ...boundClaims(request.subject, naming) }, this.key);
    return { token, lifeSeconds, audiences, expires: new Date(exp * 1000), id };
  }
}
