/** ValidatingAdmissionWebhook: the webhooks of ValidatingWebhookConfigurations judge what will be written, all at once. */
import type { AdmissionAttributes } from '../../registry/types.ts';
import type { AdmissionPlugin } from '../admission-chain.ts';
import { callWebhook } from './call-webhook.ts';
import { configurationsGroup, isConfiguration } from './configurations.ts';
import { webhooksOf } from './webhook-configuration.ts';
import { invocationOf, mayMatch } from './match-rules.ts';
import type { WebhookDependencies } from './dependencies.ts';

export function createValidatingWebhooks(parts: WebhookDependencies): AdmissionPlugin {
  const collection = `${configurationsGroup(parts.catalogue.naming)}/validatingwebhookconfigurations`;
  return {
    name: 'ValidatingAdmissionWebhook',
    async validate(attributes: AdmissionAttributes): Promise<void> {
      const hooks = webhooksOf(parts.storage.view(collection));
      if (hooks.length === 0 || isConfiguration(attributes)) return;
      const calls: Promise<unknown>[] = [];
      const invocations = await Promise.all(hooks.map((hook) => invocationOf(parts, hook, attributes)));
      for (const one of invocations) if (one) calls.push(callWebhook(parts, one, attributes, 'validating'));
      // Every call is waited for: none may go on behind an answer that has left.
      const rejected = (await Promise.allSettled(calls)).find((call) => call.status === 'rejected');
      if (rejected) throw rejected.reason;
    },
    callsWebhooks: (scope) =>
      webhooksOf(parts.storage.view(collection)).some((hook) => mayMatch(hook, scope)),
  };
}
