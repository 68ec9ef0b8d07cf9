/** Policies and webhooks whose rules name a hundred thousand resources come into their indexes in short steps. */
import { PolicyIndex } from '../../../src/admission/policy/policy-index.ts';
import type { Binding, Policy } from '../../../src/admission/policy/policy.ts';
import { WebhookIndex } from '../../../src/admission/webhook/webhook-index.ts';
import { encodeStored } from '../../../src/codec/stored.ts';
import { newEntry } from '../../../src/registry/written-entry.ts';
import type { CollectionSnapshot, Entry } from '../../../src/storage/types.ts';
import { atOnce } from '../../../src/base/sliced-work.ts';
import { cpuBudget, cpuMsOf, leastOfThree } from '../../support/cpu-time.ts';
import { turnsOf } from '../../support/turns.ts';

const resources = Array.from({ length: 150_000 }, (_, i) => `r${String(i)}/status`);
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], scope: '*' };

function entryOf(name: string, more = {}): Entry {
  return newEntry('group/judges', name, encodeStored({ metadata: { name }, ...more }), 1);
}

/** The names of the policies, and their resources. */
function indexOf(policies: Readonly<Record<string, readonly string[]>>): PolicyIndex<Policy, Binding> {
  return new PolicyIndex({
    *policy({ key }) {
      return { name: key, matcher: { rules: [{ resources: policies[key] ?? [] }] } } as unknown as Policy;
    },
    *binding({ key }) {
      return { name: key, policyName: key } as Binding;
    },
  });
}

test('a policy is read in steps, then found by each of its resources, until it is replaced', async () => {
  const policies: Record<string, readonly string[]> = { wide: resources, few: ['r7', 'pods'], all: ['*'] };
  const index = indexOf(policies);
  const longest = await leastOfThree(() => {
    let most = 0;
    const steps = index.putPolicy(entryOf('wide'));
    for (let isDone = false; !isDone;)
      most = Math.max(
        most,
        cpuMsOf(() => {
          isDone = steps.next().done === true;
        }),
      );
    return Promise.resolve(most);
  });
  expect(longest).toBeLessThan(cpuBudget(15));
  for (const name of ['few', 'all']) atOnce(index.putPolicy(entryOf(name)));
  const found = (plural: string): string[] => index.policiesFor(plural).map(({ name }) => name);
  expect([found('r7'), found('r149999'), found('pods'), found('r')]).toEqual([
    ['all', 'few', 'wide'],
    ['all', 'wide'],
    ['all', 'few'],
    ['all'],
  ]);
  policies['wide'] = ['pods'];
  atOnce(index.putPolicy(entryOf('wide')));
  expect([found('r7'), found('pods')]).toEqual([
    ['all', 'few'],
    ['all', 'few', 'wide'],
  ]);
  index.removePolicy('wide');
  expect(found('pods')).toEqual(['all', 'few']);
});

test('the rules of a webhook are read in slices', async () => {
  const longest = await leastOfThree(async () => {
    const entry = entryOf('wide', { webhooks: [{ name: 'a', rules: [{ ...rule, resources }] }] });
    const state = { size: 1, contents: {}, entries: () => [entry] } as unknown as CollectionSnapshot;
    const [most = Infinity] = await turnsOf(async () => {
      const index = new WebhookIndex(() => state);
      expect(await index.about('r149999')).toHaveLength(1);
      expect(await index.about('pods')).toEqual([]);
    });
    return most;
  });
  expect(longest).toBeLessThan(cpuBudget(40));
});
