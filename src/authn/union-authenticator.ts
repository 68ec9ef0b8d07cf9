/**
 * Several authenticators as one, and the rules around them:
 *
 * one succeeds                  → that user, also in the group of all authenticated users
 * none, but credentials given   → rejected (401), whether an authenticator knew them or not
 * none, no credentials          → anonymous, or undefined (401) where anonymous requests are off
 *
 * A token without audiences is valid for the service itself.
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

/** Hears why an authenticator could not decide: its back end is away. */
export type OnUndecided = (reason: string) => void;

/** Tries the authenticators in order; the first success ends it, and the failure of one does not stop the others. */
export function createUnionAuthenticator(
  members: readonly Authenticator[],
  onUndecided: OnUndecided = () => undefined,
): Authenticator {
  return {
    authenticate: (request) => authenticateFrom(0, { members, request, rejections: [], onUndecided }),
  };
}

interface Attempt {
  readonly members: readonly Authenticator[];
  readonly onUndecided: OnUndecided;
  readonly request: AuthenticationRequest;
  readonly rejections: RejectedCredentials[];
}

function authenticateFrom(index: number, attempt: Attempt): MaybePromise<AuthenticationResult | undefined> {
  const { members, request, rejections, onUndecided } = attempt;
  const member = members[index];
  if (member === undefined) return rejections.length === 0 ? undefined : joined(rejections);
  return whenReady(settle(member, request, onUndecided), (result) => {
    if (result?.outcome === 'authenticated') return result;
    if (result !== undefined) rejections.push(result);
    return authenticateFrom(index + 1, attempt);
  });
}

export interface RequestAuthenticatorOptions {
  readonly authenticators: readonly Authenticator[];
  /** Whether a request without credentials is an anonymous one; it is asked for each of them. */
  readonly allowsAnonymous: (request: AuthenticationRequest) => boolean;
  /** Audiences of the service; absent: audiences are not checked. */
  readonly audiences?: readonly string[];
  readonly onUndecided?: OnUndecided;
}

/** The authenticator of the HTTP server: every result but `authenticated` is a 401. */
export function createRequestAuthenticator(options: RequestAuthenticatorOptions): Authenticator {
  const union = createUnionAuthenticator(options.authenticators, options.onUndecided);
  const withAuthenticatedGroup = groupAdder();
  const ownAudiences = options.audiences ?? [];
  return {
    authenticate: (request) =>
      whenReady(union.authenticate(request), (result) => {
        if (result?.outcome === 'authenticated') {
          const accepted = { ...result, user: withAuthenticatedGroup(result.user) };
          return request.audiences ? forAudiences(accepted, request.audiences, ownAudiences) : accepted;
        }
        if (result) return result;
        if (hasCredentials(request)) return unknownCredentials;
        return options.allowsAnonymous(request) ? anonymous : undefined;
      }),
  };
}

const anonymous: AuthenticatedUser = {
  outcome: 'authenticated',
  user: anonymousUser,
  authenticator: 'anonymous',
};

function forAudiences(
  result: AuthenticatedUser,
  requested: readonly string[],
  ownAudiences: readonly string[],
): AuthenticationResult {
  const audiences = result.audiences ?? ownAudiences.filter((audience) => requested.includes(audience));
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
  onUndecided: OnUndecided,
): MaybePromise<AuthenticationResult | undefined> {
  const undecided = (error: unknown): RejectedCredentials => {
    const reason = messageOf(error);
    onUndecided(reason);
    return { outcome: 'rejected', authenticator: 'union', reason };
  };
  try {
    const result = member.authenticate(request);
    return result instanceof Promise ? result.catch(undecided) : result;
  } catch (error) {
    return undecided(error);
  }
}

function joined(rejections: readonly RejectedCredentials[]): RejectedCredentials {
  return {
    outcome: 'rejected',
    authenticator: rejections.map((rejection) => rejection.authenticator).join(', '),
    reason: rejections.map((rejection) => rejection.reason).join('; '),
    notes: rejections.find(({ notes }) => notes !== undefined)?.notes,
  };
}

/** Adds the group of all authenticated users; caches the result per user object, for requests share those. */
function groupAdder(): (user: UserInfo) => UserInfo {
  const extended = new WeakMap<UserInfo, UserInfo>();
  return (user) => {
    if (user.groups.includes(groupAuthenticated)) return user;
    const known = extended.get(user) ?? { ...user, groups: [...user.groups, groupAuthenticated] };
    extended.set(user, known);
    return known;
  };
}
