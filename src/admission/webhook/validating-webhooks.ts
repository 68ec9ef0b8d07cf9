/** ValidatingAdmissionWebhook: the webhooks of ValidatingWebhookConfigurations judge what will be written, all at once. */
import type { AdmissionAttributes } from '../../registry/types.ts';
import type { AdmissionPlugin } from '../admission-chain.ts';
import { callWebhook } from './call-webhook.ts';
import { meetsConditions } from './match-conditions.ts';
import { configurationsGroup, isConfiguration } from './configurations.ts';
import { webhooksOf, type AdmissionWebhook } from './webhook-configuration.ts';
import { invocationOf, mayMatch, type Invocation } from './match-rules.ts';
import type { WebhookDependencies } from './dependencies.ts';

export function createValidatingWebhooks(parts: WebhookDependencies): AdmissionPlugin {
  const collection = `${configurationsGroup(parts.catalogue.naming)}/validatingwebhookconfigurations`;
  return {
    name: 'ValidatingAdmissionWebhook',
    async validate(attributes: AdmissionAttributes): Promise<void> {
      const hooks = webhooksOf(parts.storage.view(collection));
      if (hooks.length === 0 || isConfiguration(attributes)) return;
      const calls: Promise<unknown>[] = [];
      const invocations = await Promise.all(hooks.map((hook) => concerned(parts, hook, attributes)));
      for (const one of invocations) if (one) calls.push(callWebhook(parts, one, attributes, 'validating'));
      // Every call is waited for: none may go on behind an answer that has left.
      const rejected = (await Promise.allSettled(calls)).find((call) => call.status === 'rejected');
      if (rejected) throw rejected.reason;
    },
    callsWebhooks: (scope) =>
      webhooksOf(parts.storage.view(collection)).some((hook) => mayMatch(hook, scope)),
  };
}

/** How a webhook is to be called; undefined: not at all. @throws StatusError */
async function concerned(
  parts: WebhookDependencies,
  hook: AdmissionWebhook,
  attributes: AdmissionAttributes,
): Promise<Invocation | undefined> {
  const invocation = await invocationOf(parts, hook, attributes);
  return invocation && (await meetsConditions(parts, invocation, attributes)) ? invocation : undefined;
}
