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
import { createValidatingPolicyIndex } from '../../../src/admission/validating-policy/validating-policy.ts';
import { WebhookIndex } from '../../../src/admission/webhook/webhook-index.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { StatusError } from '../../../src/meta/status.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import { attributesOf } from '../../support/admission.ts';
import { Webhooks } from '../../support/admission-webhooks.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  StorageError,
  type CollectionSnapshot,
  type Entry,
  type Storage,
  type StoredEvent,
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

describe('what another program wrote with members of other types', () => {
  const stateOf = (entries: readonly Entry[]): CollectionSnapshot =>
    ({ size: entries.length, contents: {}, entries: () => entries }) as unknown as CollectionSnapshot;
  const entryOf = (key: string, spec: JsonObject, webhooks: JsonValue = []): Entry =>
    newEntry('group/judges', key, encodeStored({ metadata: { name: key }, spec, webhooks }), 1);

  test('a configuration refuses writes with its name', async () => {
    const state = stateOf([entryOf('sound', {}), entryOf('broken', {}, [{ rules: 5 }])]);
    await expect(new WebhookIndex(() => state).about('pods')).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining('group/judges/broken cannot be read') as string,
    });
  });

  test('so does a policy, and holds up no other; once it is written anew, all are loaded', async () => {
    const subscribers: WatchSubscriber[] = [];
    const watch: Storage['watch'] = (_options, subscriber) => {
      subscribers.push(subscriber);
      return { close: () => undefined };
    };
    const parts = { clock: systemClock, random: systemRandom, storage: { watch } };
    const index = createValidatingPolicyIndex();
    const informer = startPolicyInformer(parts, ['policies', 'bindings'], index);
    const { signal } = new AbortController();
    const sound = entryOf('sound', {});
    const [policies, bindings] = subscribers;
    bindings?.onInitial(empty);
    policies?.onInitial(stateOf([entryOf('broken', { matchConstraints: { resourceRules: 5 } }), sound]));
    await waitFor('the state to be taken', () => informer.problem() !== undefined);
    await expect(policiesLoaded(informer, signal)).rejects.toThrow('group/judges/broken cannot be read');
    expect(index.policyKeys()).toEqual(['sound']);
    const entry = entryOf('broken', {});
    policies?.onEvents([
      { type: 'put', key: 'broken', entry, previous: undefined } as unknown as StoredEvent,
    ]);
    await waitFor('the state to be asked for again', () => subscribers.length === 3);
    subscribers[2]?.onInitial(stateOf([entry, sound]));
    await informer.loaded;
    await policiesLoaded(informer, signal);
    expect(index.policyKeys().sort()).toEqual(['broken', 'sound']);
    informer.close();
  });
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
