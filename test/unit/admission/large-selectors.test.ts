/** Selectors of configurations and policies have room for a megabyte: they are read in several turns, and say what their text says. */
import fc from 'fast-check';
import { startPolicyInformer } from '../../../src/admission/policy/policy-index.ts';
import { createMutatingPolicyIndex } from '../../../src/admission/mutating-policy/mutating-policy.ts';
import { createValidatingPolicyIndex } from '../../../src/admission/validating-policy/validating-policy.ts';
import { hooksIn } from '../../../src/admission/webhook/webhook-configuration.ts';
import { selectorSteps } from '../../../src/api/compiled-selector.ts';
import { selectorText } from '../../../src/api/selector-text.ts';
import { Slice } from '../../../src/base/cooperate.ts';
import { systemEnvironment } from '../../../src/base/environment.ts';
import { atOnce } from '../../../src/base/sliced-work.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { parseLabelSelector } from '../../../src/meta/label-selector.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import type { CollectionSnapshot, Entry, Storage, WatchSubscriber } from '../../../src/storage/types.ts';
import { cpuBudget } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';
import { waitFor } from '../../support/wait-for.ts';

test('a compiled selector holds for the labels that match its text', () => {
  const word = fc.constantFrom('a', 'b', 'c', 'constructor');
  const expression = fc
    .record({
      key: word,
      operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
      values: fc.array(word, { minLength: 1, maxLength: 3 }),
    })
    .map(({ values, ...one }) => (one.operator.endsWith('In') ? { ...one, values } : one));
  const labels = fc.dictionary(word, word);
  const selector = fc.record({
    matchLabels: labels,
    matchExpressions: fc.array(expression, { maxLength: 3 }),
  });
  fc.assert(
    fc.property(fc.option(selector, { nil: undefined }), labels, (one, own) => {
      const expected = parseLabelSelector(selectorText(one));
      const compiled = atOnce(selectorSteps(one));
      expect(compiled.matches(own)).toBe(expected.matches(own));
      expect(compiled.empty).toBe(expected.empty);
      expect([...compiled.keys].sort()).toEqual([...expected.keys].sort());
    }),
  );
});

let made = 0;

/** Keys that no text before had. */
function largeSelector(): object {
  made += 1;
  const keyOf = (i: number): string => `key-${String(made)}-${String(i)}`;
  const matchLabels = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, i) => [keyOf(i), `v${String(i)}`]),
  );
  return { matchLabels };
}

function entryOf(collection: string, object: object): Entry {
  return newEntry(collection, 'large', encodeStored({ metadata: { name: 'large' }, ...object }), 7);
}

/** Of a turn: a slice and a collection of garbage; as a whole, each of them takes 50 ms and more. */
const mostMs = 25;

/** The least of several rounds: a full collection of garbage is no work of what is measured. */
async function longestTurnOf(prepare: () => () => unknown): Promise<number> {
  let longest = Infinity;
  for (let round = 0; round < 5 && longest >= cpuBudget(mostMs); round += 1) {
    const [turn = 0] = await turnsOf(prepare());
    longest = Math.min(longest, turn);
  }
  return longest;
}

test('those of webhooks', async () => {
  const longest = await longestTurnOf(() => {
    const webhooks = [{ name: 'a', objectSelector: largeSelector(), clientConfig: { url: 'https://a' } }];
    const entry = entryOf('a/validatingwebhookconfigurations', { webhooks });
    return () => hooksIn(entry, new Slice());
  });
  expect(longest).toBeLessThan(cpuBudget(mostMs));
});

/** A storage whose watches begin with nothing and tell what a test says. */
class ToldStorage {
  readonly #subscribers = new Map<string, WatchSubscriber>();

  readonly watch: Storage['watch'] = ({ collection }, subscriber) => {
    this.#subscribers.set(collection, subscriber);
    const empty = { entries: () => [], size: 0, revision: 1 } as unknown as CollectionSnapshot;
    subscriber.onInitial(empty);
    return { close: () => undefined };
  };

  tell(type: 'put' | 'delete', entry: Entry): void {
    const { collection, key } = entry;
    this.#subscribers.get(collection)?.onEvents([{ type, entry, key, revision: 7 } as never]);
  }
}

test.each([
  ['validating', createValidatingPolicyIndex],
  ['mutating', createMutatingPolicyIndex],
])('those of %s policies and their bindings, in the order of changes', async (_name, createIndex) => {
  const [policies, bindings] = ['a/policies', 'a/bindings'] as const;
  const storage = new ToldStorage();
  const index = createIndex() as ReturnType<typeof createValidatingPolicyIndex>;
  const informer = startPolicyInformer({ ...systemEnvironment, storage }, [policies, bindings], index);
  await informer.loaded;
  const resourceRules = [{ resources: ['pods'] }];
  const longest = await longestTurnOf(() => {
    const objectSelector = largeSelector();
    const policy = entryOf(policies, { spec: { matchConstraints: { objectSelector, resourceRules } } });
    const binding = entryOf(bindings, { spec: { policyName: 'large', matchResources: { objectSelector } } });
    return async () => {
      storage.tell('put', policy);
      storage.tell('put', binding);
      await waitFor('both', () => !index.isEmpty);
      storage.tell('put', policy);
      storage.tell('delete', policy);
      storage.tell('delete', binding);
      await waitFor('neither', () => index.policyKeys().length + index.bindingKeys().length === 0);
    };
  });
  expect(longest).toBeLessThan(cpuBudget(mostMs));
  // What is short is in force at once.
  storage.tell('put', entryOf(policies, { spec: { matchConstraints: { resourceRules } } }));
  expect(index.policiesFor('pods').map(({ name }) => name)).toEqual(['large']);
  informer.close();
});
