/** What the webhook plugins depend on. */
import type { Environment } from '../../base/environment.ts';
import type { AdmissionMetrics } from '../../observe/admission-metrics.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';
import type { Storage } from '../../storage/types.ts';
import type { CallWebhook } from '../../webhook/client-config.ts';
import type { AccessDecider } from '../access-checker.ts';
import type { NamespaceReader } from '../namespace-lifecycle.ts';

export interface WebhookDependencies extends Environment {
  readonly storage: Pick<Storage, 'view'>;
  readonly catalogue: ResourceCatalogue;
  readonly namespaces: NamespaceReader;
  /** Who may do what, for conditions that ask it. */
  readonly access: AccessDecider;
  readonly isFeatureEnabled: (gate: string) => boolean;
  readonly metrics: AdmissionMetrics;
  readonly warn: (details: object, message: string) => void;
  /** Calls a webhook with a review. @throws Error without an answer in time; its cause is a LongAnswerError where it is too long */
  readonly sendReview: CallWebhook;
}

/** Which of the two kinds of webhooks. */
export type WebhookType = 'admit' | 'validating';
