/** Makes service account tokens, legacy and bound. */
import { type PassiveClock } from '../../base/clock.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import { sign } from '../jwt.ts';
import { boundClaims, legacyClaims, type TokenSubject } from './token-claims.ts';
import type { SigningKey } from './service-account-keys.ts';

/** The life that the ServiceAccount admission plugin asks for: an hour, and seven seconds by which it is known. */
const extendedSeconds = 3607;
const yearSeconds = 365 * 24 * 3600;

export interface TokenIssuerOptions {
  readonly key: SigningKey;
  readonly naming: NamingProfile;
  /** The issuer of bound tokens. */
  readonly issuer: string;
  /** The audience of bound tokens whose request names none. */
  readonly audiences: readonly string[];
  /** Longest lifetime of a bound token; absent: unlimited. */
  readonly maxLifeSeconds?: number;
  /**
   * Whether the tokens of pods that may be read once and kept (`--service-account-extend-token-expiration`) live for a
   * year and only warn after the hour that was asked (KEP-1205).
   */
  readonly extendsLife?: boolean;
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
    const end = now + lifeSeconds;
    const isExtended = this.isExtended({ ...request, audiences, lifeSeconds });
    const times = { iat: now, nbf: now, exp: isExtended ? now + yearSeconds : end };
    const id = newId?.();
    const about = { aud: [...audiences], iss: issuer, ...times, ...(id !== undefined && { jti: id }) };
    const subject = isExtended ? { ...request.subject, warnAfter: end } : request.subject;
    const token = sign({ ...about, ...boundClaims(subject, naming) }, this.key);
    return { token, lifeSeconds, audiences, expires: new Date(end * 1000), id };
  }

  /** Volumes of pods ask for just this life; a token for others is none that this service reads. */
  private isExtended({ subject, audiences, lifeSeconds }: BoundTokenRequest): boolean {
    const { extendsLife = false, audiences: own } = this.options;
    const isOfVolume = subject.bound?.kind === 'Pod' && lifeSeconds === extendedSeconds;
    return extendsLife && isOfVolume && audiences.every((audience) => own.includes(audience));
  }
}
