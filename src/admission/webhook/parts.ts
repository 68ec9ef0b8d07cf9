/** What webhooks need of the house around them. */
import type { JsonObject } from '../../base/json.ts';
import type { AdmissionMetrics } from '../../observe/admission-metrics.ts';
import type { ResourceCatalogue } from '../../registry/types.ts';
import type { Storage } from '../../storage/types.ts';
import type { NamespaceReader } from '../namespace-lifecycle.ts';
import type { HookClient } from './hook.ts';

export interface CallLimits {
  readonly timeoutSeconds: number;
  /** The request's own. */
  readonly signal: AbortSignal;
}

export interface WebhookParts {
  readonly storage: Pick<Storage, 'view'>;
  readonly catalogue: ResourceCatalogue;
  readonly namespaces: NamespaceReader;
  readonly isFeatureEnabled: (gate: string) => boolean;
  readonly now: () => Date;
  readonly metrics: AdmissionMetrics;
  readonly warn: (details: object, message: string) => void;
  /** Sends a review and gives what comes back. @throws Error without an answer in time */
  readonly ask: (client: HookClient, review: JsonObject, limits: CallLimits) => Promise<JsonObject>;
}

/** Which of the two kinds of webhooks. */
export type HookType = 'admit' | 'validating';
