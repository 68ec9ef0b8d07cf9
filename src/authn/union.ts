/**
 * Several authenticators as one, and the rules around them:
 *
 *   one succeeds                  → that user, also in the group of all authenticated users
 *   none, but credentials given   → rejected (401), whether an authenticator knew them or not
 *   none, no credentials          → anonymous, or undefined (401) where anonymous requests are off
 *
 * What says nothing of audiences is meant for the service itself.
 */
import { messageOf } from '../base/errors.ts';
import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
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
    authenticate: (request) => askFrom(0, { members, request, rejections: [] }),
  };
}

interface Asking {
  readonly members: readonly Authenticator[];
  readonly request: AuthenticationRequest;
  readonly rejections: RejectedCredentials[];
}

function askFrom(index: number, asking: Asking): MaybePromise<AuthenticationResult | undefined> {
  const { members, request, rejections } = asking;
  const member = members[index];
  if (member === undefined) return rejections.length === 0 ? undefined : joined(rejections);
  return whenReady(settle(member, request), (result) => {
    if (result?.outcome === 'authenticated') return result;
    if (result !== undefined) rejections.push(result);
    return askFrom(index + 1, asking);
  });
}

export interface RequestAuthenticatorOptions {
  readonly authenticators: readonly Authenticator[];
  readonly allowAnonymous: boolean;
  /** Who the service is; absent: nobody asks for audiences. */
  readonly audiences?: readonly string[];
}

/** What the HTTP room asks: every answer but `authenticated` is a 401. */
export function createRequestAuthenticator(options: RequestAuthenticatorOptions): Authenticator {
  const union = createUnionAuthenticator(options.authenticators);
  const withAuthenticatedGroup = groupAdder();
  const own = options.audiences ?? [];
  const nobody: AuthenticatedUser | undefined = options.allowAnonymous
    ? { outcome: 'authenticated', user: anonymousUser, authenticator: 'anonymous' }
    : undefined;
  return {
    authenticate: (request) =>
      whenReady(union.authenticate(request), (result) => {
        if (result?.outcome === 'authenticated') {
          const accepted = { ...result, user: withAuthenticatedGroup(result.user) };
          return request.audiences ? forAudiences(accepted, request.audiences, own) : accepted;
        }
        return result ?? (hasCredentials(request) ? unknownCredentials : nobody);
      }),
  };
}

function forAudiences(
  result: AuthenticatedUser,
  asked: readonly string[],
  own: readonly string[],
): AuthenticationResult {
  const audiences = result.audiences ?? own.filter((audience) => asked.includes(audience));
  if (audiences.length > 0) return { ...result, audiences };
  return { outcome: 'rejected', authenticator: result.authenticator, reason: 'meant for another audience' };
}

const unknownCredentials: RejectedCredentials = {
  outcome: 'rejected',
  authenticator: 'union',
  reason: 'no authenticator accepts the credentials',
};

function hasCredentials(request: AuthenticationRequest): boolean {
  const authorization = request.headers['authorization'];
  const hasHeader = authorization !== undefined && authorization.length > 0;
  return hasHeader || request.bearerToken !== '' || request.peer.certificates.length > 0;
}

function settle(
  member: Authenticator,
  request: AuthenticationRequest,
): MaybePromise<AuthenticationResult | undefined> {
  try {
    const answer = member.authenticate(request);
    return answer instanceof Promise ? answer.catch(undecided) : answer;
  } catch (error) {
    return undecided(error);
  }
}

function undecided(error: unknown): RejectedCredentials {
  return { outcome: 'rejected', authenticator: 'union', reason: messageOf(error) };
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
