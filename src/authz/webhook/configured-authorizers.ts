/**
 * Authorizers in order, as `--authorization-config` describes them (kube-apiserver: AuthorizerConfiguration of
 * apiserver.config). Plain data but for the certificates of webhooks.
 */
import type { DecisionTtls } from './decision-cache.ts';

/** What authorizes beside webhooks; each at most once. */
export const plainAuthorizerTypes = ['Node', 'RBAC', 'ABAC', 'AlwaysAllow', 'AlwaysDeny'] as const;

export type PlainAuthorizerType = (typeof plainAuthorizerTypes)[number];

export interface PlainAuthorizer {
  readonly type: PlainAuthorizerType;
  readonly name: string;
}

export interface WebhookRules extends DecisionTtls {
  /** For all attempts of a call together. */
  readonly timeoutMs: number;
  readonly version: 'v1' | 'v1beta1';
  /** What an unanswered call, or a condition without a value, means. */
  readonly failurePolicy: 'NoOpinion' | 'Deny';
  /** Expressions over `request`, all of which must hold for a call. */
  readonly conditions: readonly string[];
}

/** @typeParam Access address and credentials of a webhook */
export interface WebhookAuthorizerRules<Access> extends WebhookRules {
  readonly type: 'Webhook';
  readonly name: string;
  readonly access: Access;
}

export interface ConfiguredAuthorization<Access> {
  readonly authorizers: readonly (PlainAuthorizer | WebhookAuthorizerRules<Access>)[];
  /** Minor number of the release whose libraries the expressions may use. */
  readonly minor: number;
}
