/** Allows everything to members of `system:masters`; no opinion on other users. */
import { groupMasters } from '../meta/user.ts';
import { noOpinion, type Authorizer, type AuthorizerAttributes, type AuthorizerDecision } from './types.ts';

const allow: AuthorizerDecision = { decision: 'allow', reason: `group ${groupMasters}` };

export function createPrivilegedGroupAuthorizer(): Authorizer {
  return {
    authorize({ user }: AuthorizerAttributes): AuthorizerDecision {
      return user.groups.includes(groupMasters) ? allow : noOpinion;
    },
  };
}
