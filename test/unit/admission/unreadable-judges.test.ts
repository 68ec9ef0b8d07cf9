/** Webhooks and policies that cannot be read: no write passes that one of them might have refused. */
import {
  PolicyIndex,
  policiesLoaded,
  startPolicyInformer,
} from '../../../src/admission/policy/policy-index.ts';
import { WebhookIndex } from '../../../src/admission/webhook/webhook-index.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { StatusError } from '../../../src/meta/status.ts';
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
