/**
 * The modes AlwaysAllow and AlwaysDeny: the same decision for all users (in a union, after those before had no
 * opinion).
 */
import type { AuthorizerDecision, RuleAuthorizer } from './types.ts';

const allow: AuthorizerDecision = { decision: 'allow', reason: '' };
const deny: AuthorizerDecision = { decision: 'noOpinion', reason: 'Everything is forbidden.' };

const everything = { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

export function createAlwaysAllow(): RuleAuthorizer {
  return {
    authorize: () => allow,
    rulesFor: () => ({
      resourceRules: [{ ...everything, apiGroups: ['*'], resources: ['*'] }],
      nonResourceRules: [{ ...everything, nonResourceURLs: ['*'] }],
      problems: [],
    }),
  };
}

/** Has no opinion rather than denying: modes that are named after it may still allow. */
export function createAlwaysDeny(): RuleAuthorizer {
  return {
    authorize: () => deny,
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], problems: [] }),
  };
}
