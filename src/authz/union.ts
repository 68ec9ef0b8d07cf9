/** Several authorizers in order: the first that allows or denies decides; if none does, there is no opinion. */
import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
import type { Authorizer, AuthorizerAttributes, AuthorizerDecision } from './types.ts';

export function createUnionAuthorizer(members: readonly Authorizer[]): Authorizer {
  return {
    authorize: (attributes) => askFrom(0, { members, attributes, reasons: [] }),
  };
}

interface Asking {
  readonly members: readonly Authorizer[];
  readonly attributes: AuthorizerAttributes;
  readonly reasons: string[];
}

function askFrom(index: number, asking: Asking): MaybePromise<AuthorizerDecision> {
  const { members, attributes, reasons } = asking;
  const member = members[index];
  if (member === undefined) return { decision: 'noOpinion', reason: reasons.join('; ') };
  return whenReady(member.authorize(attributes), (answer) => {
    if (answer.decision !== 'noOpinion') return answer;
    if (answer.reason !== '') reasons.push(answer.reason);
    return askFrom(index + 1, asking);
  });
}
