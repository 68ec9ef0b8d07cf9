/** The authorization webhook, where a file says where it is. */
import { createWebhookAuthorizer } from '../../authz/webhook/webhook-authorizer.ts';
import type { RuleAuthorizer } from '../../authz/types.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { CompletedConfig } from '../complete.ts';
import { WebhookClient } from '../webhook-client.ts';

export interface Webhook {
  readonly authorizer: RuleAuthorizer;
  close(): void;
}

export interface WebhookParts {
  readonly naming: NamingProfile;
  readonly warn: (details: object, message: string) => void;
}

/** undefined: there is none. */
export function createWebhook(
  { files, authorization }: CompletedConfig,
  { naming, warn }: WebhookParts,
): Webhook | undefined {
  if (files.authorizationWebhook === undefined) return undefined;
  const { version, allowedTtlMs, refusedTtlMs } = authorization.webhook;
  const client = new WebhookClient(files.authorizationWebhook);
  const authorizer = createWebhookAuthorizer({
    ask: (review) => client.ask(review),
    group: `authorization.${naming.apiDomain}`,
    version,
    lifetimes: { allowedMs: allowedTtlMs, refusedMs: refusedTtlMs },
    warn,
  });
  return {
    authorizer,
    close: () => {
      client.close();
    },
  };
}
