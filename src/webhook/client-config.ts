/** Parses `clientConfig` of admission and conversion webhooks. */
import type { WebhookClientConfig } from '../api/admissionregistration/v1.types.ts';
import type { JsonObject } from '../base/json.ts';

export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  readonly path: string;
}

/** The address and CA bundle of a webhook. */
export interface WebhookEndpoint {
  /** '' if a service is given. */
  readonly url: string;
  readonly service: WebhookService | undefined;
  /** PEM in base64; '' for the CAs of the system. */
  readonly caBundle: string;
}

/** Limits of a call without retries. */
export interface CallLimits {
  readonly timeoutSeconds: number;
  /** Signal of the waiting request. */
  readonly signal: AbortSignal;
  /** Maximum bytes of the response; defaults to the general limit. */
  readonly longestAnswer?: number | undefined;
}

/**
 * Sends a review and returns the response.
 * @throws Error without a response in time
 */
export type CallWebhook = (
  client: WebhookEndpoint,
  review: JsonObject,
  limits: CallLimits,
) => Promise<JsonObject>;

/** Parses a client configuration; the default port is 443 (admissionregistration v1, `ServiceReference`). */
export function readClient({ url, service, caBundle }: WebhookClientConfig): WebhookEndpoint {
  const reference = service && {
    namespace: service.namespace ?? '',
    name: service.name ?? '',
    port: service.port ?? 443,
    path: service.path ?? '/',
  };
  return { url: url ?? '', service: reference, caBundle: caBundle ?? '' };
}
