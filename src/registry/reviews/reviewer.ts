/** Who answers reviews: what the registry asks of authentication and authorization, which implement it together. */
import type { AuthorizerAttributes } from '../../meta/request-info.ts';
import type { UserInfo } from '../../meta/user.ts';

/** What a token proves. */
export interface TokenVerdict {
  /** undefined: it is nobody's, or not meant for any of the audiences. */
  readonly user: UserInfo | undefined;
  /** Those of the asked audiences that the token is meant for. */
  readonly audiences: readonly string[];
  /** Why it proves nothing, where that may be told; '' otherwise. */
  readonly error: string;
}

/** Whether something is allowed. Neither: nobody has an opinion, which means no. */
export interface AccessVerdict {
  readonly allowed: boolean;
  /** Somebody forbade it, whatever others may say. */
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
