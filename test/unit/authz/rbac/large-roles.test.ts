/** Roles of a megabyte come into the index in short steps, and decide as small ones do. */
import fc from 'fast-check';
import type { JsonObject } from '../../../../src/base/json.ts';
import { GrantedRules } from '../../../../src/authz/rbac/granted-rules.ts';
import { PolicyIndex } from '../../../../src/authz/rbac/policy-index.ts';
import { readRules } from '../../../../src/authz/rbac/policy-rule.ts';
import { RoleRules } from '../../../../src/authz/rbac/role-rules.ts';
import type { Entry } from '../../../../src/storage/types.ts';
import { cpuBudget, cpuMsOf } from '../../../support/cpu-time.ts';
import { asked } from '../../../support/policy.ts';
import { turnsOf } from '../../../support/turns.ts';

const word = (i: number): string => i.toString(36).padStart(4, '0');
const words = (count: number): string[] => Array.from({ length: count }, (_, i) => word(i));
const rule = (more: JsonObject): JsonObject => ({ verbs: ['get'], apiGroups: [''], ...more });
const shapes: Record<string, JsonObject[]> = {
  resources: [rule({ resources: words(170_000) })],
  'resources of two rules': [1, 2].map(() => rule({ resources: words(85_000) })),
  names: [rule({ resources: ['pods'], resourceNames: words(170_000) })],
  rules: words(20_000).map((name) => rule({ resources: [name] })),
  'rules with names': words(14_000).map((name) => rule({ resources: ['pods'], resourceNames: [name] })),
  'empty rules': words(400_000).map(() => ({})),
};

function entryOf(rules: readonly JsonObject[], name = 'big'): Entry {
  const bytes = Buffer.from(JSON.stringify({ metadata: { name }, rules }));
  return { collection: 'any/clusterroles', key: name, modRevision: 1, bytes, memo: undefined };
}

const counts = (): boolean => true;
const ref = { kind: 'ClusterRole', name: 'big' };

test.each(Object.entries(shapes))('a role of a megabyte of %s holds the thread briefly', async (_, rules) => {
  const index = new PolicyIndex();
  index.put('clusterroles', entryOf([rule({ resources: ['old'] })]));
  let take: (() => void) | undefined;
  const turns = await turnsOf(async () => (take = await index.prepare('clusterroles', entryOf(rules))));
  // A few may have a garbage collection in them; in one step it would be one turn.
  expect(turns.length).toBeGreaterThan(10);
  expect(turns[2]).toBeLessThan(cpuBudget(25));
  expect(turns[Math.floor(turns.length / 2)]).toBeLessThan(cpuBudget(6));
  expect(index.rulesOf(ref, '')?.list).toHaveLength(1);
  expect(cpuMsOf(() => take?.())).toBeLessThan(cpuBudget(20));
  expect(index.rulesOf(ref, '')?.list).toHaveLength(rules.length);
});

test.each(Object.entries(shapes))('questions about a role of a megabyte of %s are short', (_, rules) => {
  const role = new RoleRules(readRules(rules));
  const many = new GrantedRules();
  const ask = (name: string): void => {
    const info = { ...asked('get pods'), name };
    expect(role.allows(info, 'pods')).toBe(many.find({ info, resource: 'pods', counts }) !== undefined);
  };
  expect(
    Math.min(
      ...[1, 2].map(() =>
        cpuMsOf(() => {
          many.put('big', role);
        }),
      ),
    ),
  ).toBeLessThan(cpuBudget(15));
  // Until all names are in the index.
  const took = Array.from({ length: 60 }, (_each, i) =>
    cpuMsOf(() => {
      ask(i % 2 === 0 ? word(i * 200) : `none${String(i)}`);
    }),
  ).toSorted((a, b) => b - a);
  expect(took[2]).toBeLessThan(cpuBudget(25));
});

test('names are found while the index of them grows, and where rules share them', () => {
  const names = words(10_000);
  const parts = [names.slice(0, 3_000), names.slice(2_000, 9_000), [], names.slice(8_999)];
  const rules = parts.map((resourceNames, i) => ({
    ...{ verbs: [`v${String(i)}`], apiGroups: [''], resources: ['pods', 'pods'], resourceNames },
    nonResourceURLs: [],
  }));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat({ max: 10_500 }), fc.nat({ max: 3 })), { minLength: 1, maxLength: 8 }),
      (questions) => {
        const role = new RoleRules(rules);
        for (const [i, v] of questions) {
          const part = parts[v] ?? [];
          const expected = part.length === 0 || part.includes(word(i));
          const info = { ...asked('get pods'), verb: `v${String(v)}`, name: word(i) };
          expect(role.allows(info, 'pods')).toBe(expected);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('many roles, some of them large, decide as each of them does', () => {
  const granted = new GrantedRules();
  const large = new RoleRules(
    readRules([rule({ resources: words(2_000) }), rule({ nonResourceURLs: ['/a'] })]),
  );
  granted.put('small', new RoleRules(readRules([rule({ resources: ['pods'] })])));
  granted.put('large', large);
  const find = (resource: string): string | undefined =>
    granted.find({ info: asked(`get ${resource}`), resource, counts });
  expect(find('pods')).toBe('small');
  expect(find(word(1_999))).toBe('large');
  expect(granted.find({ info: asked('get /a'), resource: '', counts })).toBe('large');
  granted.put('large', new RoleRules(readRules([rule({ resources: ['nodes'] })])));
  expect(find(word(1_999))).toBeUndefined();
  expect(find('nodes')).toBe('large');
  granted.put('large', large);
  granted.remove('large');
  expect(find(word(1_999))).toBeUndefined();
});
