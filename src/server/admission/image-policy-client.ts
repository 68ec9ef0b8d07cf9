/** Calls the webhook of ImagePolicyWebhook. */
import type { ImagePolicyParts } from '../../admission/image-policy-webhook.ts';
import type { Environment } from '../../base/environment.ts';
import type { ImagePolicyFile } from '../../options/admission/image-policy.ts';
import { WebhookClient, type WebhookClientOptions } from '../../webhook/webhook-client.ts';

export interface ImagePolicyClient extends Pick<ImagePolicyParts, 'config' | 'sendReview'> {
  /** Aborts calls in progress. */
  close(): void;
}

/** The pauses between attempts grow by half each time, of which there are four. */
const growth = 1.5 ** 3;

/** @param file undefined if the plugin is disabled: then there is nobody to call */
export function createImagePolicyClient(
  environment: Environment,
  file: ImagePolicyFile | undefined,
  onSent: WebhookClientOptions['onSent'],
): ImagePolicyClient {
  const config = file ?? { allowedTtlMs: 0, deniedTtlMs: 0, allowsOnFailure: false };
  const client =
    file?.webhook && new WebhookClient(file.webhook, { ...environment, ...(onSent && { onSent }) });
  const firstMs = Math.max(file?.retryMs ?? 0, 1);
  return {
    config,
    sendReview: async (review) => {
      if (!client) throw new Error('no image policy webhook is configured');
      return client.sendReview(review, { firstMs, maxMs: firstMs * growth });
    },
    close: () => {
      client?.close();
    },
  };
}
