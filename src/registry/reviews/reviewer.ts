/** The interface that serves reviews by authentication and authorization. */
import type { AuthorizerAttributes } from '../../meta/request-info.ts';
import type { UserInfo } from '../../meta/user.ts';

/** The result of a token review. */
export interface TokenVerdict {
  /** undefined if the token is invalid or for none of the audiences. */
  readonly user: UserInfo | undefined;
  /** The requested audiences for which the token is valid. */
  readonly audiences: readonly string[];
  /** Reason of the rejection, if the client may know it; otherwise ''. */
  readonly error: string;
}

/** The result of an access review. If neither is set, no authorizer had an opinion. */
export interface AccessVerdict {
  readonly allowed: boolean;
  /** An authorizer denied it, which overrules others. */
  readonly denied: boolean;
  readonly reason: string;
  /** Evaluation error; the result is valid nevertheless. */
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

/** The rules of a user, as far as they can be listed. */
export interface RulesVerdict {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** True if there may be more rules. */
  readonly incomplete: boolean;
  readonly error: string;
}

export interface Reviewer {
  /** @param audiences of which the token needs at least one; empty for those of the service */
  identify(token: string, audiences: readonly string[]): Promise<TokenVerdict>;
  decide(attributes: AuthorizerAttributes): Promise<AccessVerdict>;
  rulesOf(user: UserInfo, namespace: string): Promise<RulesVerdict>;
}
