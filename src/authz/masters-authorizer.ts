/** Allows everything to members of the masters group; of others it has no opinion. */
import { groupMasters } from '../meta/user.ts';
import { noOpinion, type Authorizer, type AuthorizerAttributes, type AuthorizerDecision } from './types.ts';

const allow: AuthorizerDecision = { decision: 'allow', reason: `group ${groupMasters}` };

export function createMastersAuthorizer(): Authorizer {
  return {
    authorize({ user }: AuthorizerAttributes): AuthorizerDecision {
      return user.groups.includes(groupMasters) ? allow : noOpinion;
    },
  };
}
