/** What the reading of an AuthenticationConfiguration depends on. */
import type { NamingProfile } from '../../../meta/naming.ts';
import type { ExpressionText } from './expression-text.ts';

export interface AuthenticationFileRules {
  readonly naming: Pick<NamingProfile, 'apiDomain' | 'labelDomain'>;
  /** Minor number of the emulated release. */
  readonly minor: number;
  /** Whether the release has conditions of anonymous requests. */
  readonly hasAnonymous: boolean;
  /** Whether the flag that the section `anonymous` replaces was given. */
  readonly isAnonymousFlagGiven: boolean;
  /** Issuers that are this service itself. */
  readonly ownIssuers: readonly string[];
}

/** What the parts of an issuer share. */
export interface JwtContext {
  readonly rules: AuthenticationFileRules;
  /** Those that were found. */
  readonly expressions: ExpressionText[];
}
