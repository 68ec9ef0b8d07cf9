/**
 * Several authenticators as one, and the rules around them:
 *
 *   one succeeds                  → that user, also in the group of all authenticated users
 *   none, but credentials given   → rejected (401), whether an authenticator knew them or not
 *   none, no credentials          → anonymous, or undefined (401) where anonymous requests are off
 */
import { messageOf } from '../base/errors.ts';
import { anonymousUser, groupAuthenticated, type UserInfo } from '../meta/user.ts';
import type {
  AuthenticatedUser,
  AuthenticationRequest,
  AuthenticationResult,
  Authenticator,
  RejectedCredentials,
} from './types.ts';

/** Asks in order; the first success ends it, and one's failure does not stop the others. */
export function createUnionAuthenticator(members: readonly Authenticator[]): Authenticator {
  return {
    async authenticate(request: AuthenticationRequest): Promise<AuthenticationResult | undefined> {
      const rejections: RejectedCredentials[] = [];
      for (const member of members) {
        const result = await settle(member, request);
        if (result?.outcome === 'authenticated') return result;
        if (result !== undefined) rejections.push(result);
      }
      return rejections.length === 0 ? undefined : joined(rejections);
    },
  };
}

export interface RequestAuthenticatorOptions {
  readonly authenticators: readonly Authenticator[];
  readonly allowAnonymous: boolean;
}

/** What the HTTP room asks: every answer but `authenticated` is a 401. */
export function createRequestAuthenticator(options: RequestAuthenticatorOptions): Authenticator {
  const union = createUnionAuthenticator(options.authenticators);
  const withAuthenticatedGroup = groupAdder();
  const nobody: AuthenticatedUser | undefined = options.allowAnonymous
    ? { outcome: 'authenticated', user: anonymousUser, authenticator: 'anonymous' }
    : undefined;
  return {
    async authenticate(request: AuthenticationRequest): Promise<AuthenticationResult | undefined> {
      const result = await union.authenticate(request);
      if (result?.outcome === 'authenticated')
        return { ...result, user: withAuthenticatedGroup(result.user) };
      return result ?? (hasCredentials(request) ? unknownCredentials : nobody);
    },
  };
}

const unknownCredentials: RejectedCredentials = {
  outcome: 'rejected',
  authenticator: 'union',
  reason: 'no authenticator accepts the credentials',
};

function hasCredentials(request: AuthenticationRequest): boolean {
  const authorization = request.headers['authorization'];
  return (authorization !== undefined && authorization.length > 0) || request.peer.certificates.length > 0;
}

async function settle(
  member: Authenticator,
  request: AuthenticationRequest,
): Promise<AuthenticationResult | undefined> {
  try {
    return await member.authenticate(request);
  } catch (error) {
    const reason = messageOf(error);
    return { outcome: 'rejected', authenticator: 'union', reason };
  }
}

function joined(rejections: readonly RejectedCredentials[]): RejectedCredentials {
  return {
    outcome: 'rejected',
    authenticator: rejections.map((rejection) => rejection.authenticator).join(', '),
    reason: rejections.map((rejection) => rejection.reason).join('; '),
  };
}

/** Adds the group of all authenticated users; remembers the result per user object, for requests share those. */
function groupAdder(): (user: UserInfo) => UserInfo {
  const extended = new WeakMap<UserInfo, UserInfo>();
  return (user) => {
    if (user.groups.includes(groupAuthenticated)) return user;
    const known = extended.get(user) ?? { ...user, groups: [...user.groups, groupAuthenticated] };
    extended.set(user, known);
    return known;
  };
}
