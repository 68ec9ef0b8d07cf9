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
    authorize: (attributes) => authorizeFrom(0, { members, attributes, reasons: [], errors: [] }),
    rulesFor: (user, namespace, most) =>
      joinRules(members.flatMap((member) => member.rulesFor?.(user, namespace, most) ?? [])),
  };
}

function joinRules(all: readonly UserRules[]): UserRules {
  return {
    resourceRules: all.flatMap((rules) => rules.resourceRules),
    nonResourceRules: all.flatMap((rules) => rules.nonResourceRules),
    problems: all.flatMap((rules) => rules.problems),
  };
}

interface Attempt {
  readonly members: readonly Authorizer[];
  readonly attributes: AuthorizerAttributes;
  readonly reasons: string[];
  readonly errors: string[];
}

function authorizeFrom(index: number, attempt: Attempt): MaybePromise<AuthorizerDecision> {
  const { members, attributes, reasons, errors } = attempt;
  const member = members[index];
  if (member === undefined) return noDecision(attempt);
  return whenReady(member.authorize(attributes), (result) => {
    if (result.decision !== 'noOpinion') return result;
    if (result.reason !== '') reasons.push(result.reason);
    if (result.error !== undefined) errors.push(result.error);
    return authorizeFrom(index + 1, attempt);
  });
}

function noDecision({ reasons, errors }: Attempt): AuthorizerDecision {
  const error = errors.join('; ');
  return { decision: 'noOpinion', reason: reasons.join('; '), ...(error !== '' && { error }) };
}
