/**
 * The face of `authz`: may this user do this? An authorizer allows, denies, or has no opinion; a union asks
 * several in order, and where nobody has an opinion the answer is no.
 */
import type { AuthorizerAttributes } from '../meta/request-info.ts';

export interface AuthorizerDecision {
  readonly decision: 'allow' | 'deny' | 'noOpinion';
  /** Why, for the audit log and the message of a 403; '' where there is nothing to add. */
  readonly reason: string;
}

export interface Authorizer {
  authorize(attributes: AuthorizerAttributes): Promise<AuthorizerDecision>;
}

export const noOpinion: AuthorizerDecision = { decision: 'noOpinion', reason: '' };

export type { AuthorizerAttributes };
