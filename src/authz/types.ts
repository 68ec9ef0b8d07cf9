/**
 * The interface of `authz`: may this user do this? An authorizer allows, denies, or has no opinion; a union tries
 * several in order, and without any opinion the request is denied.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { AuthorizerAttributes } from '../meta/request-info.ts';
import type { UserInfo } from '../meta/user.ts';
import type { PolicyRule } from './rbac/policy-rule.ts';

export interface AuthorizerDecision {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  /** Why, for the audit log and the message of a 403; '' where there is nothing to add. */
  readonly reason: string;
  /**
   * Set with no opinion when the authorizer could not decide; unless another one allows, the request fails with an
   * internal error.
   */
  readonly error?: string;
}

/** What is known of what a user may do in a namespace and in the cluster. */
export interface UserRules {
  readonly resourceRules: readonly PolicyRule[];
  readonly nonResourceRules: readonly PolicyRule[];
  /** Why there may be more than these; empty: they are all. */
  readonly problems: readonly string[];
}

/** A synchronous authorizer returns no promise: it runs on every request. */
export interface Authorizer {
  authorize(attributes: AuthorizerAttributes): MaybePromise<AuthorizerDecision>;
  /**
   * What the user may do ('' for the cluster alone). Absent: this authorizer has no rules to list.
   * @param most of rules that may be many; a problem says that there are more. Absent: all
   */
  rulesFor?(user: UserInfo, namespace: string, most?: number): UserRules;
}

/** An authorizer that lists rules: for SelfSubjectRulesReview and for escalation checks. */
export type RuleAuthorizer = Authorizer & Required<Pick<Authorizer, 'rulesFor'>>;

export const noOpinion: AuthorizerDecision = { decision: 'noOpinion', reason: '' };

export type { AuthorizerAttributes };
