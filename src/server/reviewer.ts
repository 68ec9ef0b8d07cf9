/** Answers reviews with the authenticators and authorizers that judge requests, too. */
import type { Authenticator } from '../authn/types.ts';
import type { Authorizer } from '../authz/types.ts';
import type { AuthorizerAttributes } from '../meta/request-info.ts';
import type { UserInfo } from '../meta/user.ts';
import type { AccessVerdict, Reviewer, RulesVerdict, TokenVerdict } from '../registry/reviews/reviewer.ts';

const nobody: TokenVerdict = { user: undefined, audiences: [], error: '' };

/** Both are those that the HTTP room asks, so that a review says what a request would meet. */
export function createReviewer(authenticator: Authenticator, authorizer: Authorizer): Reviewer {
  return {
    identify: async (token, audiences) => {
      const result = await authenticator.authenticate({
        headers: { authorization: `Bearer ${token}` },
        bearerToken: token,
        peer: { authorized: false, certificates: [] },
        remoteAddress: '',
        ...(audiences.length > 0 && { audiences }),
      });
      // Why a token is refused stays here, as for every request.
      if (result?.outcome !== 'authenticated') return nobody;
      return { user: result.user, audiences: result.audiences ?? [], error: '' };
    },
    decide: (attributes) => decide(authorizer, attributes),
    rulesOf: (user, namespace) => Promise.resolve(rulesOf(authorizer, user, namespace)),
  };
}

async function decide(authorizer: Authorizer, attributes: AuthorizerAttributes): Promise<AccessVerdict> {
  const { decision, reason, error = '' } = await authorizer.authorize(attributes);
  return { allowed: decision === 'allow', denied: decision === 'deny', reason, error };
}

/** Rules are about resources or about paths. */
function rulesOf(authorizer: Authorizer, user: UserInfo, namespace: string): RulesVerdict {
  const rules = authorizer.rulesFor?.(user, namespace);
  const problems = rules?.problems ?? ['the authorizer cannot list rules'];
  return {
    resourceRules: rules?.resourceRules ?? [],
    nonResourceRules: rules?.nonResourceRules ?? [],
    incomplete: problems.length > 0,
    error: problems.join('; '),
  };
}
