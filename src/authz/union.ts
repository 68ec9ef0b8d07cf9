/** Several authorizers in order: the first that allows or denies decides; if none does, there is no opinion. */
import { whenReady, type MaybePromise } from '../base/maybe-promise.ts';
import type {
  Authorizer,
  AuthorizerAttributes,
  AuthorizerDecision,
  RuleAuthorizer,
  UserRules,
} from './types.ts';

export function createUnionAuthorizer(members: readonly Authorizer[]): RuleAuthorizer {
  return {
    authorize: (attributes) => askFrom(0, { members, attributes, reasons: [], faults: [] }),
    rulesFor: (user, namespace) =>
      joinRules(members.flatMap((member) => member.rulesFor?.(user, namespace) ?? [])),
  };
}

function joinRules(all: readonly UserRules[]): UserRules {
  return {
    resourceRules: all.flatMap((rules) => rules.resourceRules),
    nonResourceRules: all.flatMap((rules) => rules.nonResourceRules),
    problems: all.flatMap((rules) => rules.problems),
  };
}

interface Asking {
  readonly members: readonly Authorizer[];
  readonly attributes: AuthorizerAttributes;
  readonly reasons: string[];
  readonly faults: string[];
}

function askFrom(index: number, asking: Asking): MaybePromise<AuthorizerDecision> {
  const { members, attributes, reasons, faults } = asking;
  const member = members[index];
  if (member === undefined) return nobodyKnows(asking);
  return whenReady(member.authorize(attributes), (answer) => {
    if (answer.decision !== 'noOpinion') return answer;
    if (answer.reason !== '') reasons.push(answer.reason);
    if (answer.fault !== undefined) faults.push(answer.fault);
    return askFrom(index + 1, asking);
  });
}

function nobodyKnows({ reasons, faults }: Asking): AuthorizerDecision {
  const fault = faults.join('; ');
  return { decision: 'noOpinion', reason: reasons.join('; '), ...(fault !== '' && { fault }) };
}
