/** What plugins ask authorization while they judge a write. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { UserInfo } from '../meta/user.ts';

export interface AccessQuestion {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Default: ''. */
  readonly subresource?: string;
  /** Default: '', the cluster. */
  readonly namespace?: string;
  readonly name: string;
  /** What narrows it, as written. Default: ''. */
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** About a path that is no resource. */
export interface PathQuestion {
  readonly verb: string;
  readonly path: string;
}

export interface AccessAnswer {
  readonly isAllowed: boolean;
  /** Why; '' where there is nothing to add. */
  readonly reason: string;
  /** Why an authorizer could not decide; absent where each could. */
  readonly error?: string;
}

export interface AccessChecker {
  check(user: UserInfo, question: AccessQuestion): Promise<AccessAnswer>;
}

/** For questions of expressions, which cannot wait. */
export interface AccessDecider {
  /** Without a promise where the authorizers need none. */
  decide(user: UserInfo, question: AccessQuestion | PathQuestion): MaybePromise<AccessAnswer>;
}
