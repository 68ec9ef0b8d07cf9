/** How objects name webhooks (`clientConfig` of admission webhooks and of conversion), read into what a client needs. */
import type { WebhookClientConfig } from '../api/admissionregistration/v1.types.ts';
import type { JsonObject } from '../base/json.ts';

export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  readonly path: string;
}

/** Where a webhook is, and which authorities certify it. */
export interface WebhookEndpoint {
  /** '' where a service is meant. */
  readonly url: string;
  readonly service: WebhookService | undefined;
  /** Base64 of PEM; '': the authorities that the system trusts. */
  readonly caBundle: string;
}

/** The deadline of a call that is made once. */
export interface CallLimits {
  readonly timeoutSeconds: number;
  /** Of the request that waits for the answer. */
  readonly signal: AbortSignal;
  /** Bytes of the answer. Absent: as many as webhooks may answer at all. */
  readonly longestAnswer?: number | undefined;
}

/** Sends a review and gives the answer. @throws Error without an answer in time */
export type CallWebhook = (
  client: WebhookEndpoint,
  review: JsonObject,
  limits: CallLimits,
) => Promise<JsonObject>;

/** Reads a client configuration; the port is 443 where none is given (admissionregistration v1, `ServiceReference`). */
export function readClient({ url, service, caBundle }: WebhookClientConfig): WebhookEndpoint {
  const reference = service && {
    namespace: service.namespace ?? '',
    name: service.name ?? '',
    port: service.port ?? 443,
    path: service.path ?? '/',
  };
  return { url: url ?? '', service: reference, caBundle: caBundle ?? '' };
}
