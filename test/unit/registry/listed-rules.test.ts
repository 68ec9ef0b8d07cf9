/** Rules of SelfSubjectRulesReview: a user may have tens of thousands. */
import { listedNonResourceRules, listedResourceRules } from '../../../src/registry/reviews/listed-rules.ts';

const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [] };

test('empty lists are left out', async () => {
  expect(await listedResourceRules([rule])).toEqual([
    { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
  ]);
  expect(await listedNonResourceRules([{ verbs: ['get'], nonResourceURLs: ['/a'] }])).toEqual([
    { verbs: ['get'], nonResourceURLs: ['/a'] },
  ]);
});

test('many long lists at once let others work in between', async () => {
  let turns = 0;
  const tick = (): void => {
    turns += 1;
    timer = setImmediate(tick);
  };
  let timer = setImmediate(tick);
  const rules = Array.from({ length: 100_000 }, () => rule);
  const lists = await Promise.all(Array.from({ length: 5 }, () => listedResourceRules(rules)));
  clearImmediate(timer);
  expect(lists.map(({ length }) => length)).toEqual([100_000, 100_000, 100_000, 100_000, 100_000]);
  expect(turns).toBeGreaterThan(5);
});
