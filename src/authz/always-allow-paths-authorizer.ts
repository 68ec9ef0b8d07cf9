/**
 * Allows all users to read the always-allowed paths (`--authorization-always-allow-paths` of kube-apiserver); no
 * opinion on all else.
 */
import { isAlwaysAllowedPath, alwaysAllowVerbs } from './always-allow-paths.ts';
import { noOpinion, type Authorizer, type AuthorizerAttributes, type AuthorizerDecision } from './types.ts';

const allow: AuthorizerDecision = { decision: 'allow', reason: 'open path' };

export function createAlwaysAllowPathsAuthorizer(): Authorizer {
  return {
    authorize({ info }: AuthorizerAttributes): AuthorizerDecision {
      const isOpen =
        !info.isResourceRequest && alwaysAllowVerbs.includes(info.verb) && isAlwaysAllowedPath(info.path);
      return isOpen ? allow : noOpinion;
    },
  };
}
