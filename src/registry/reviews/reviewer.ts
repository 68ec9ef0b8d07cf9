/** What answers reviews: authentication and authorization implement it together. */
import type { AuthorizerAttributes } from '../../meta/request-info.ts';
import type { UserInfo } from '../../meta/user.ts';

/** What a token proves. */
export interface TokenVerdict {
  /** undefined: no user's token, or one for none of the audiences. */
  readonly user: UserInfo | undefined;
  /** Those of the requested audiences that the token is meant for. */
  readonly audiences: readonly string[];
  /** Why the token is rejected, where the client may know; '' otherwise. */
  readonly error: string;
}

/** Whether something is allowed. Neither: NoOpinion from every authorizer, which means no. */
export interface AccessVerdict {
  readonly allowed: boolean;
  /** An authorizer denied it, which no other one can overrule. */
  readonly denied: boolean;
  readonly reason: string;
  /** What could not be found out; the verdict stands all the same. */
  readonly error: string;
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** What a user may do, as far as it can be listed. */
export interface RulesVerdict {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** True: there may be more than these. */
  readonly incomplete: boolean;
  readonly error: string;
}

export interface Reviewer {
  /** @param audiences whom the token has to be meant for, one of them at least; empty: the service itself */
  identify(token: string, audiences: readonly string[]): Promise<TokenVerdict>;
  decide(attributes: AuthorizerAttributes): Promise<AccessVerdict>;
  rulesOf(user: UserInfo, namespace: string): Promise<RulesVerdict>;
}
