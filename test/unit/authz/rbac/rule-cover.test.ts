/** Who may give what: which rules cover which, and how the rest is told. */
import * as fc from 'fast-check';
import { HeldRules } from '../../../../src/authz/rbac/held-rules.ts';
import { OwnerRule } from '../../../../src/authz/rbac/owner-rule.ts';
import { readRules, type PolicyRule } from '../../../../src/authz/rbac/policy-rule.ts';
import { describeRule, missingRules } from '../../../../src/authz/rbac/rule-cover.ts';
import { atOnce } from '../../../../src/base/sliced-work.ts';
import { ruleOf } from '../../../support/policy.ts';
import { cpuBudget, leastShareOf, threadCpuMs } from '../../../support/cpu-time.ts';
import { turnsOf } from '../../../support/turns.ts';

function rules(...list: ReturnType<typeof ruleOf>[]): PolicyRule[] {
  return readRules(list);
}

const cases: { name: string; held: PolicyRule[]; wanted: PolicyRule[]; missing: string[] }[] = [
  {
    name: 'the same',
    held: rules(ruleOf('get,list', 'pods')),
    wanted: rules(ruleOf('list', 'pods')),
    missing: [],
  },
  {
    name: 'two rules together',
    held: rules(ruleOf('get', 'pods,secrets'), ruleOf('list', 'pods')),
    wanted: rules(ruleOf('get,list', 'pods,secrets')),
    missing: ['{APIGroups:[""], Resources:["secrets"], Verbs:["list"]}'],
  },
  {
    name: 'verbs of one resource are told together',
    held: [],
    wanted: rules(ruleOf('get,list', 'pods', ',apps')),
    missing: [
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
      '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list"]}',
    ],
  },
  {
    name: 'stars',
    held: rules(ruleOf('*', '*', '*')),
    wanted: rules(ruleOf('get', 'pods/log', 'x')),
    missing: [],
  },
  {
    name: 'a star is more than all that is named',
    held: rules(ruleOf('get,list', 'pods')),
    wanted: rules(ruleOf('*', 'pods')),
    missing: ['{APIGroups:[""], Resources:["pods"], Verbs:["*"]}'],
  },
  {
    name: 'a subresource of every resource',
    held: rules(ruleOf('get', '*/scale', 'apps')),
    wanted: rules(ruleOf('get', 'deployments/scale,deployments', 'apps')),
    missing: ['{APIGroups:["apps"], Resources:["deployments"], Verbs:["get"]}'],
  },
  {
    name: 'some names',
    held: rules(ruleOf('get', 'pods', '', 'a')),
    wanted: rules(ruleOf('get', 'pods', '', 'a,b')),
    missing: ['{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}'],
  },
  {
    name: 'all names are more than some',
    held: rules(ruleOf('get', 'pods', '', 'a')),
    wanted: rules(ruleOf('get', 'pods')),
    missing: ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
  },
  {
    name: 'paths',
    held: rules({ nonResourceURLs: ['/logs/*', '/x'], verbs: ['get'] }),
    wanted: rules({ nonResourceURLs: ['/logs/a', '/logs/*', '/x', '/x/*'], verbs: ['get'] }),
    missing: ['{NonResourceURLs:["/x/*"], Verbs:["get"]}'],
  },
  {
    name: 'resources give no paths',
    held: rules(ruleOf('*', '*', '*')),
    wanted: rules({ nonResourceURLs: ['/x'], verbs: ['get'] }),
    missing: ['{NonResourceURLs:["/x"], Verbs:["get"]}'],
  },
];

test.each(cases)('$name', async ({ held, wanted, missing }) => {
  const found = await missingRules(held, wanted);
  expect(found.rules.map(describeRule)).toEqual(missing);
  expect(found.isUnfinished).toBe(false);
});

function list(length: number, name: string): string {
  return Array.from({ length }, (_, n) => `${name}-${n}`).join(',');
}

/** The longest turn but one. */
async function longHold(work: () => Promise<unknown>): Promise<number> {
  const holds = await turnsOf(work);
  expect(holds.length).toBeGreaterThan(2);
  return holds[1] ?? Infinity;
}

test('what is said a thousand times is compared once', async () => {
  const again = (text: string): string[] => Array.from({ length: 1_000 }, () => text);
  const resourceNames = Array.from({ length: 1_000 }, (_, n) => `name-${n}`);
  const verbs = Array.from({ length: 1_000 }, (_, n) => (n % 2 ? 'get' : 'list'));
  const wanted = readRules([{ verbs, apiGroups: again(''), resources: again('pods'), resourceNames }]);
  const held = rules(ruleOf('get', 'pods'), ruleOf('list', 'pods'));
  const before = threadCpuMs();
  expect(await missingRules(held, wanted)).toEqual({ rules: [], isUnfinished: false });
  expect(threadCpuMs() - before).toBeLessThan(cpuBudget(500));
});

test('long rules that one rule covers are not taken apart', async () => {
  const wanted = rules(
    ruleOf(list(300, 'verb'), list(300, 'resource'), list(300, 'group'), list(300, 'name')),
  );
  for (const held of [wanted, rules(ruleOf('*', '*', '*'))])
    expect(await missingRules(held, wanted)).toEqual({ rules: [], isUnfinished: false });
});

test('more combinations than anybody has are not compared to their end', async () => {
  const [verbs, groups, names] = [list(300, 'verb'), list(300, 'group'), list(300, 'name')];
  const half = (odd: number): string =>
    names
      .split(',')
      .filter((_name, n) => n % 2 === odd)
      .join(',');
  const held = rules(...[0, 1].map((odd) => ruleOf(verbs, 'pods', groups, half(odd))));
  expect(await missingRules(held, rules(ruleOf(verbs, 'pods', groups, names)))).toEqual({
    rules: [],
    isUnfinished: true,
  });
});

test('long lists do not hold the thread, and the comparison ends with its signal', async () => {
  const wanted = rules(ruleOf('get', 'pods', '', list(40_000, 'name')));
  const held = Array.from({ length: 50 }, () =>
    rules(ruleOf('get', 'pods', '', list(20_000, 'name'))),
  ).flat();
  const ending = new AbortController();
  setTimeout(() => ending.abort(new Error('over')), 200);
  const work = (): Promise<unknown> =>
    expect(missingRules(held, wanted, ending.signal)).rejects.toThrow('over');
  expect(await longHold(work)).toBeLessThan(cpuBudget(100));
});

const names = (...all: string[]): fc.Arbitrary<string[]> => fc.subarray(all);
const anyRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: names('get', 'list', '*'),
  apiGroups: names('', 'apps', '*'),
  resources: names('pods', 'pods/log', '*/log', '*'),
  resourceNames: names('a', 'b'),
  nonResourceURLs: names('/x', '/x/*', '*'),
});

test('the candidates among the rules of a writer are all that can cover a part', () => {
  const isOfOneKind = ({ apiGroups, resources, nonResourceURLs: { length } }: PolicyRule): boolean =>
    (apiGroups.length > 0 && resources.length > 0 && length === 0) ||
    (apiGroups.length === 0 && resources.length === 0 && length > 0);
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 6 }), anyRule.filter(isOfOneKind), (held, part) => {
      const index = new HeldRules();
      for (const rule of held) atOnce(index.add(rule));
      const isCovered = [...index.candidates(part)].some((rule) => rule.covers(part));
      expect(isCovered).toBe(held.some((rule) => new OwnerRule(rule).covers(part)));
    }),
  );
});

test.each<[string, (n: number) => ReturnType<typeof ruleOf>]>([
  ['API groups', (n) => ruleOf('get', 'widgets', `group-${n}`)],
  ['resources', (n) => ruleOf('get', `widgets-${n}`, 'example.com')],
])('a writer with a hundred thousand rules of different %s', async (_what, ruleOfNumber) => {
  const all = (first: number, count: number): PolicyRule[] =>
    rules(...Array.from({ length: count }, (_, n) => ruleOfNumber(first + n)));
  const held = all(0, 100_000);
  const before = threadCpuMs();
  expect(await missingRules(held, all(99_000, 1_000))).toEqual({ rules: [], isUnfinished: false });
  expect((await missingRules(held, all(200_000, 1_000))).rules).toHaveLength(200);
  expect(threadCpuMs() - before).toBeLessThan(cpuBudget(1_500));
});

const thousands = (length: number, name: string): string[] =>
  Array.from({ length }, (_, n) => `${name}-${String(n)}`);
const onPods: PolicyRule = {
  verbs: ['get'],
  apiGroups: [''],
  resources: ['pods'],
  resourceNames: [],
  nonResourceURLs: [],
};

test.each<[string, PolicyRule[], PolicyRule[], number]>([
  [
    'sixty thousand rules',
    [onPods],
    thousands(60_000, 'n').map((name) => ({ ...onPods, resourceNames: [name] })),
    0,
  ],
  ['a quarter of a million names', [], [{ ...onPods, resourceNames: thousands(250_000, 'n') }], 200],
  [
    'a quarter of a million resources that are held',
    [{ ...onPods, resources: thousands(250_000, 'r') }],
    [onPods],
    1,
  ],
])('%s are compared in short steps', async (_what, held, wanted, missing) => {
  let found: PolicyRule[] = [];
  const longest = async (): Promise<number> => {
    const [turn = 0] = await turnsOf(async () => (found = (await missingRules(held, wanted)).rules));
    return turn;
  };
  expect(await leastShareOf(50, longest)).toBeLessThan(1);
  expect(found).toHaveLength(missing);
});
