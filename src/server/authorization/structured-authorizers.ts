/** The authorizers of `--authorization-config`, in order, replaced while requests are served. */
import { isDeepStrictEqual } from 'node:util';
import {
  createConditionalAuthorizer,
  type ConditionalOptions,
} from '../../authz/webhook/conditional-authorizer.ts';
import type {
  PlainAuthorizerType,
  WebhookAuthorizerRules,
} from '../../authz/webhook/configured-authorizers.ts';
import { createWebhookAuthorizer } from '../../authz/webhook/webhook-authorizer.ts';
import type {
  Authorizer,
  AuthorizerAttributes,
  AuthorizerDecision,
  RuleAuthorizer,
  UserRules,
} from '../../authz/types.ts';
import { createUnionAuthorizer } from '../../authz/union-authorizer.ts';
import type { Environment } from '../../base/environment.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { NamingProfile } from '../../meta/naming.ts';
import type { AuthorizationMetrics } from '../../observe/authorization-metrics.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { StructuredAuthorization } from '../../options/authorization-file.ts';
import {
  WebhookClient,
  type ConfiguredWebhook,
  type WebhookClientOptions,
} from '../../webhook/webhook-client.ts';
import { countedAuthorizer } from './counted-authorizer.ts';

export interface StructuredParts {
  readonly environment: Environment;
  readonly naming: NamingProfile;
  readonly passesSelectors: boolean;
  readonly warn: (details: object, message: string) => void;
  readonly onSent: NonNullable<WebhookClientOptions['onSent']>;
  readonly metrics: AuthorizationMetrics;
  /** What makes the authorizers beside webhooks. */
  readonly plain: Readonly<Record<PlainAuthorizerType, () => Authorizer[]>>;
}

type WebhookRulesWithAccess = WebhookAuthorizerRules<ConfiguredWebhook>;

interface OpenWebhook {
  readonly rules: WebhookRulesWithAccess;
  readonly minor: number;
  readonly client: WebhookClient;
  readonly authorizer: RuleAuthorizer;
}

export class StructuredAuthorizers implements RuleAuthorizer {
  private readonly parts: StructuredParts;
  private webhooks: ReadonlyMap<string, OpenWebhook> = new Map();
  private current: RuleAuthorizer = createUnionAuthorizer([]);

  constructor(parts: StructuredParts) {
    this.parts = parts;
  }

  /** Replaces the authorizers. Webhooks that stay as they are keep their decisions; calls of others end. */
  use({ authorizers, minor }: StructuredAuthorization): void {
    const former = this.webhooks;
    const next = new Map<string, OpenWebhook>();
    const members = authorizers.flatMap((one): Authorizer[] => {
      const counted = (authorizer: Authorizer): Authorizer =>
        countedAuthorizer(authorizer, one, this.parts.metrics);
      if (one.type !== 'Webhook') return this.parts.plain[one.type]().map(counted);
      const webhook = this.opened(one, minor);
      next.set(one.name, webhook);
      return [counted(webhook.authorizer)];
    });
    this.webhooks = next;
    this.current = createUnionAuthorizer(members);
    const kept = new Set([...next.values()].map(({ client }) => client));
    for (const { client } of former.values()) if (!kept.has(client)) client.close();
  }

  authorize(attributes: AuthorizerAttributes): MaybePromise<AuthorizerDecision> {
    return this.current.authorize(attributes);
  }

  rulesFor(user: UserInfo, namespace: string, most?: number): UserRules {
    return this.current.rulesFor(user, namespace, most);
  }

  close(): void {
    for (const { client } of this.webhooks.values()) client.close();
  }

  private opened(rules: WebhookRulesWithAccess, minor: number): OpenWebhook {
    const former = this.webhooks.get(rules.name);
    if (former && former.minor === minor && isDeepStrictEqual(former.rules, rules)) return former;
    const { environment, naming, passesSelectors, warn, onSent } = this.parts;
    const { access, name, timeoutMs, version, authorizedTtlMs, unauthorizedTtlMs } = rules;
    const client = new WebhookClient(access, { ...environment, onSent, timeoutMs });
    const webhook = createWebhookAuthorizer({
      ...{ clock: environment.clock, group: `authorization.${naming.apiDomain}`, version },
      ...{ ttls: { authorizedTtlMs, unauthorizedTtlMs }, passesSelectors },
      sendReview: (review) => client.sendReview(review),
      warn: (details, message) => warn({ webhook: name, ...details }, message),
    });
    const { conditions, failurePolicy } = rules;
    const { clock } = environment;
    const onJudged = this.conditionMetrics(name);
    const authorizer = createConditionalAuthorizer(webhook, {
      ...{ name, minor, warn, conditions, failurePolicy, clock, onJudged, passesSelectors },
    });
    return { rules, minor, client, authorizer };
  }

  private conditionMetrics(name: string): ConditionalOptions['onJudged'] {
    const labels = { type: 'Webhook', name };
    const { conditionDuration, conditionErrors, conditionExclusions } = this.parts.metrics;
    const duration = conditionDuration.series(labels);
    return (outcome, seconds) => {
      duration.observe(seconds);
      if (outcome === 'failed') conditionErrors.series(labels).add();
      if (outcome === 'exclude') conditionExclusions.series(labels).add();
    };
  }
}
