/**
 * The face of `authz`: may this user do this? An authorizer allows, denies, or has no opinion; a union asks
 * several in order, and where nobody has an opinion the answer is no.
 */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { AuthorizerAttributes } from '../meta/request-info.ts';

export interface AuthorizerDecision {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  /** Why, for the audit log and the message of a 403; '' where there is nothing to add. */
  readonly reason: string;
}

/** One that knows at once answers without a promise: it is asked on every request. */
export interface Authorizer {
  authorize(attributes: AuthorizerAttributes): MaybePromise<AuthorizerDecision>;
}

export const noOpinion: AuthorizerDecision = { decision: 'noOpinion', reason: '' };

export type { AuthorizerAttributes };
