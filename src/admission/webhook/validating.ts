/** ValidatingAdmissionWebhook: the webhooks of ValidatingWebhookConfigurations judge what will be written, all at once. */
import type { AdmissionAttributes } from '../../registry/types.ts';
import type { AdmissionPlugin } from '../chain.ts';
import { callHook } from './call.ts';
import { configurationsGroup, isConfiguration } from './configurations.ts';
import { hooksOf } from './hook.ts';
import { invocationOf, mayConcern } from './match.ts';
import type { WebhookParts } from './parts.ts';

export function createValidatingWebhooks(parts: WebhookParts): AdmissionPlugin {
  const collection = `${configurationsGroup(parts.catalogue.naming)}/validatingwebhookconfigurations`;
  return {
    name: 'ValidatingAdmissionWebhook',
    async validate(attributes: AdmissionAttributes): Promise<void> {
      const hooks = hooksOf(parts.storage.view(collection));
      if (hooks.length === 0 || isConfiguration(attributes)) return;
      const calls: Promise<unknown>[] = [];
      const invocations = await Promise.all(hooks.map((hook) => invocationOf(parts, hook, attributes)));
      for (const one of invocations) if (one) calls.push(callHook(parts, one, attributes, 'validating'));
      // Every call is waited for: none may go on behind an answer that has left.
      const refused = (await Promise.allSettled(calls)).find((call) => call.status === 'rejected');
      if (refused) throw refused.reason;
    },
    tellsOthers: (scope) => hooksOf(parts.storage.view(collection)).some((hook) => mayConcern(hook, scope)),
  };
}
