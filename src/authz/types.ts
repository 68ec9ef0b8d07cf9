/**
 * The face of `authz`: may this user do this? An authorizer allows, denies, or has no opinion; a union asks
 * several in order, and where nobody has an opinion the answer is no.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { AuthorizerAttributes } from '../meta/request-info.ts';
import type { UserInfo } from '../meta/user.ts';
import type { PolicyRule } from './rbac/policy-rule.ts';

export interface AuthorizerDecision {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  /** Why, for the audit log and the message of a 403; '' where there is nothing to add. */
  readonly reason: string;
  /** Set by one without an opinion that could not find out; where nobody allows, that is a fault of the service. */
  readonly fault?: string;
}

/** What is known of what a user may do in a namespace and in the cluster. */
export interface UserRules {
  readonly resourceRules: readonly PolicyRule[];
  readonly nonResourceRules: readonly PolicyRule[];
  /** Why there may be more than these; empty: they are all. */
  readonly problems: readonly string[];
}

/** One that knows at once answers without a promise: it is asked on every request. */
export interface Authorizer {
  authorize(attributes: AuthorizerAttributes): MaybePromise<AuthorizerDecision>;
  /** What the user may do ('' for the cluster alone). Absent: nothing that can be told as rules. */
  rulesFor?(user: UserInfo, namespace: string): UserRules;
}

/** One that tells rules: for reviews of what one may do, and for those who may give no more than they have. */
export type RuleAuthorizer = Authorizer & Required<Pick<Authorizer, 'rulesFor'>>;

export const noOpinion: AuthorizerDecision = { decision: 'noOpinion', reason: '' };

export type { AuthorizerAttributes };
