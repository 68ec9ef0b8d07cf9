/** Webhooks and policies that cannot be read: no write passes that one of them might have refused. */
import {
  PolicyIndex,
  policiesLoaded,
  startPolicyInformer,
} from '../../../src/admission/policy/policy-index.ts';
import type { AdmissionPlugin, ReinvocationContext } from '../../../src/admission/admission-chain.ts';
import { createMutatingPolicies } from '../../../src/admission/mutating-policy/plugin.ts';
import { createMutatingWebhooks } from '../../../src/admission/webhook/mutating-webhooks.ts';
import { createValidatingPolicies } from '../../../src/admission/validating-policy/plugin.ts';
import { createValidatingWebhooks } from '../../../src/admission/webhook/validating-webhooks.ts';
import { WebhookIndex } from '../../../src/admission/webhook/webhook-index.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { attributesOf } from '../../support/admission.ts';
import { Webhooks } from '../../support/admission-webhooks.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  StorageError,
  type CollectionSnapshot,
  type Storage,
  type WatchSubscriber,
} from '../../../src/storage/types.ts';

const error = new StorageError('unreadable', 'the stored value of a/b cannot be read: no key decrypts it');
const empty = { size: 0, contents: {}, entries: () => [] } as unknown as CollectionSnapshot;
const damaged: CollectionSnapshot = { ...empty, unreadableIn: () => error };

test('webhooks', () => {
  expect(new WebhookIndex(() => empty).about('pods')).toEqual([]);
  expect(() => new WebhookIndex(() => damaged).about('pods')).toThrow(StatusError);
});

test('policies, until they can be read', async () => {
  const subscribers: WatchSubscriber[] = [];
  const watch: Storage['watch'] = (_options, subscriber) => {
    subscribers.push(subscriber);
    return { close: () => undefined };
  };
  const parts = { clock: systemClock, random: systemRandom, storage: { watch } };
  const readers = {} as ConstructorParameters<typeof PolicyIndex>[0];
  const informer = startPolicyInformer(parts, ['policies', 'bindings'], new PolicyIndex(readers));
  const { signal } = new AbortController();
  for (const subscriber of subscribers) subscriber.onInitial(damaged);
  await waitFor('the state to be taken', () => informer.problem() !== undefined);
  expect(informer.isLoaded()).toBe(false);
  await expect(policiesLoaded(informer, signal)).rejects.toThrow('cannot be read');
  for (const subscriber of subscribers) subscriber.onInitial(empty);
  await informer.loaded;
  await policiesLoaded(informer, signal);
  expect(informer.isLoaded()).toBe(true);
  informer.close();
});

describe('whoever repairs admission is not refused by it:', () => {
  const parts = { ...new Webhooks().parts, storage: { view: () => damaged } };
  const informer = {
    ...{ index: { isEmpty: true }, isLoaded: () => false, loaded: new Promise(() => undefined) },
    problem: () => new StatusError(500, 'InternalError', error.message),
  };
  const policyParts = { ...parts, informer } as unknown as Parameters<typeof createMutatingPolicies>[0] &
    Parameters<typeof createValidatingPolicies>[0];
  const judges = [
    createMutatingWebhooks(parts),
    createValidatingWebhooks(parts),
    createMutatingPolicies(policyParts),
    createValidatingPolicies(policyParts),
  ];
  const context: ReinvocationContext = { isReinvocation: false, requestReinvocation: () => undefined };

  async function judged({ admit, validate }: AdmissionPlugin, resource: string): Promise<void> {
    for (const operation of ['CREATE', 'UPDATE', 'DELETE'] as const) {
      const attributes = attributesOf({ operation, resource, object: {}, oldObject: {} });
      await admit?.(attributes, context);
      await validate?.(attributes);
    }
  }

  test.each(judges.map((judge) => [judge.name, judge] as const))('%s', async (_name, judge) => {
    await expect(judged(judge, 'configmaps')).rejects.toThrow('cannot be read');
    for (const plural of ['webhookconfigurations', 'admissionpolicies', 'admissionpolicybindings'])
      for (const prefix of ['mutating', 'validating'])
        await judged(judge, `admissionregistration.orch.io/v1/${prefix}${plural}`);
  });
});
