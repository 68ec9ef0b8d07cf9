/** What plugins ask authorization while they judge a write. */
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
}

export interface AccessAnswer {
  readonly isAllowed: boolean;
  /** Why; '' where there is nothing to add. */
  readonly reason: string;
}

export interface AccessChecker {
  check(user: UserInfo, question: AccessQuestion): Promise<AccessAnswer>;
}
