/** Serves reviews with the authenticators and authorizers of requests. */
import type { Authenticator } from '../authn/types.ts';
import type { Authorizer } from '../authz/types.ts';
import type { AuthorizerAttributes } from '../meta/request-info.ts';
import type { UserInfo } from '../meta/user.ts';
import type { AccessVerdict, Reviewer, RulesVerdict, TokenVerdict } from '../registry/reviews/reviewer.ts';

/** Of a user; to gather so many takes a few milliseconds. */
const maxListedRules = 50_000;

const nobody: TokenVerdict = { user: undefined, audiences: [], error: '' };

/** The same as in the filter chain, so that a review predicts the result of a request. */
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
      // The reason of a rejected token is not disclosed, as for requests.
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

/** A rule is for resources or for non-resource URLs. */
function rulesOf(authorizer: Authorizer, user: UserInfo, namespace: string): RulesVerdict {
  const rules = authorizer.rulesFor?.(user, namespace, maxListedRules);
  const problems = rules?.problems ?? ['the authorizer cannot list rules'];
  return {
    resourceRules: rules?.resourceRules ?? [],
    nonResourceRules: rules?.nonResourceRules ?? [],
    incomplete: problems.length > 0,
    error: problems.join('; '),
  };
}
