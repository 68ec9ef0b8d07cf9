/** Rules of SelfSubjectRulesReview: a user may have tens of thousands. */
import {
  ListedText,
  listedNonResourceRules,
  listedResourceRules,
} from '../../../src/registry/reviews/listed-rules.ts';

const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: [] };

test('empty lists are left out', async () => {
  expect(await listedResourceRules([rule], new ListedText())).toEqual([
    { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
  ]);
  expect(
    await listedNonResourceRules([{ verbs: ['get'], nonResourceURLs: ['/a'] }], new ListedText()),
  ).toEqual([{ verbs: ['get'], nonResourceURLs: ['/a'] }]);
});

test('many long lists at once let others work in between', async () => {
  let turns = 0;
  const tick = (): void => {
    turns += 1;
    timer = setImmediate(tick);
  };
  let timer = setImmediate(tick);
  const rules = Array.from({ length: 100_000 }, () => rule);
  const lists = await Promise.all(
    Array.from({ length: 5 }, () => listedResourceRules(rules, new ListedText())),
  );
  clearImmediate(timer);
  expect(lists.map(({ length }) => length)).toEqual([100_000, 100_000, 100_000, 100_000, 100_000]);
  expect(turns).toBeGreaterThan(5);
});

test('of rules that are long together the first are listed, and it is known that there are more', async () => {
  const long = { ...rule, resourceNames: Array.from({ length: 10_000 }, (_, i) => `name-${String(i)}`) };
  const text = new ListedText();
  expect(await listedResourceRules([long], text)).toHaveLength(1);
  expect(text.isSpent).toBe(false);
  const listed = await listedResourceRules(new Array<typeof long>(1_000).fill(long), text);
  expect(listed.length).toBeGreaterThan(10);
  expect(listed.length).toBeLessThan(100);
  expect(text.isSpent).toBe(true);
  expect(await listedNonResourceRules([{ verbs: ['get'], nonResourceURLs: ['/a'] }], text)).toEqual([]);
});
