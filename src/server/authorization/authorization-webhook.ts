/** The authorization webhook, if configured. */
import { createWebhookAuthorizer } from '../../authz/webhook/webhook-authorizer.ts';
import type { RuleAuthorizer } from '../../authz/types.ts';
import type { Environment } from '../../base/environment.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { CompletedConfig } from '../../options/complete-config.ts';
import {
  WebhookClient,
  type WebhookClientOptions,
  type WebhookAccess,
} from '../../webhook/webhook-client.ts';

export interface Webhook {
  readonly authorizer: RuleAuthorizer;
  /** Replaces its address and credentials. */
  use(access: WebhookAccess): void;
  close(): void;
}

export interface WebhookParts {
  readonly environment: Environment;
  /** undefined if it is not configured. */
  readonly access: WebhookAccess | undefined;
  readonly naming: NamingProfile;
  readonly passesSelectors: boolean;
  readonly warn: (details: object, message: string) => void;
  readonly onSent: NonNullable<WebhookClientOptions['onSent']>;
}

/** undefined if it is not configured. */
export function createWebhook(
  { authorization }: CompletedConfig,
  { environment, access, naming, passesSelectors, warn, onSent }: WebhookParts,
): Webhook | undefined {
  if (access === undefined) return undefined;
  const { version, authorizedTtlMs, unauthorizedTtlMs } = authorization.webhook;
  const client = new WebhookClient(access, { ...environment, onSent });
  const authorizer = createWebhookAuthorizer({
    clock: environment.clock,
    sendReview: (review) => client.sendReview(review),
    group: `authorization.${naming.apiDomain}`,
    ...{ version, passesSelectors },
    ttls: { authorizedTtlMs: authorizedTtlMs, unauthorizedTtlMs: unauthorizedTtlMs },
    warn,
  });
  return {
    authorizer,
    use: (next) => {
      client.use(next);
    },
    close: () => {
      client.close();
    },
  };
}
