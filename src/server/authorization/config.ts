/** Who decides what clients may do, as far as flags say it. Paths are not read yet. */

/** Ways to decide; asked in the order in which they are named. */
export const authorizationModes = ['RBAC', 'Webhook', 'AlwaysAllow', 'AlwaysDeny'] as const;

export type AuthorizationMode = (typeof authorizationModes)[number];

export interface AuthorizationConfig {
  readonly modes: readonly AuthorizationMode[];
  readonly webhook: AuthorizationWebhookConfig;
}

export interface AuthorizationWebhookConfig {
  /** '' without the mode Webhook. */
  readonly configFile: string;
  /** Of the reviews that are sent. */
  readonly version: 'v1' | 'v1beta1';
  readonly allowedTtlMs: number;
  readonly refusedTtlMs: number;
}
