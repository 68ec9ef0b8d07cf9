/** The user that the claims of an ID token name (`--oidc-*` flags; OpenID Connect Core 1.0). */
import type { JsonObject } from '../../base/json.ts';
import type { UserInfo } from '../../meta/user.ts';
import { textClaim, textsClaim } from '../jwt.ts';

export interface IdentityRules {
  readonly issuer: string;
  /** Tokens must be meant for it. */
  readonly clientId: string;
  readonly usernameClaim: string;
  /** '' for the default: the issuer and a hash sign, or nothing for `email`; `-` for nothing. */
  readonly usernamePrefix: string;
  /** '': no groups are read. */
  readonly groupsClaim: string;
  readonly groupsPrefix: string;
  readonly requiredClaims: Readonly<Record<string, string>>;
}

/** The user, or what is wrong with the claims. */
export function identityOf(claims: JsonObject, rules: IdentityRules): UserInfo | string {
  if (!textsClaim(claims, 'aud').includes(rules.clientId)) return 'meant for another client';
  const name = textClaim(claims, rules.usernameClaim);
  if (name === '') return `there is no claim ${rules.usernameClaim} of text`;
  if (rules.usernameClaim === 'email' && (claims['email_verified'] ?? true) !== true)
    return 'the address is not verified';
  const groups = groupsOf(claims, rules);
  if (typeof groups === 'string') return groups;
  const missing = Object.entries(rules.requiredClaims).find(
    ([key, value]) => textClaim(claims, key) !== value,
  );
  if (missing) return `the claim ${missing[0]} is not as required`;
  return { name: usernamePrefix(rules) + name, uid: '', groups, extra: {} };
}

function usernamePrefix({ usernamePrefix: given, usernameClaim, issuer }: IdentityRules): string {
  if (given === '-') return '';
  if (given !== '') return given;
  return usernameClaim === 'email' ? '' : `${issuer}#`;
}

/** The prefixed groups, or what is wrong with the claim. */
function groupsOf(claims: JsonObject, { groupsClaim, groupsPrefix }: IdentityRules): string[] | string {
  const groupNames = groupsClaim === '' ? null : (claims[groupsClaim] ?? null);
  if (groupNames === null) return [];
  if (!Array.isArray(groupNames) || !groupNames.every((item) => typeof item === 'string'))
    return `the claim ${groupsClaim} is no list of texts`;
  return [...new Set(groupNames.map((group) => groupsPrefix + group))];
}
