/** Several authorizers in order: the first that allows or denies decides; if none does, there is no opinion. */
import type { Authorizer, AuthorizerAttributes, AuthorizerDecision } from './types.ts';

export function createUnionAuthorizer(members: readonly Authorizer[]): Authorizer {
  return {
    async authorize(attributes: AuthorizerAttributes): Promise<AuthorizerDecision> {
      const reasons: string[] = [];
      for (const member of members) {
        const answer = await member.authorize(attributes);
        if (answer.decision !== 'noOpinion') return answer;
        if (answer.reason !== '') reasons.push(answer.reason);
      }
      return { decision: 'noOpinion', reason: reasons.join('; ') };
    },
  };
}
