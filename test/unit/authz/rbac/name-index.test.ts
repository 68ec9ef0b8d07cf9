/** Names of many rules: the index answers as the lists do, while it grows and while lists come and go, in short steps. */
import fc from 'fast-check';
import { NameIndex, type Named } from '../../../../src/authz/rbac/name-index.ts';
import { GrantedRules } from '../../../../src/authz/rbac/granted-rules.ts';
import { RoleRules } from '../../../../src/authz/rbac/role-rules.ts';
import { laterTurn } from '../../../../src/base/cooperate.ts';
import { cpuBudget, cpuMsOf } from '../../../support/cpu-time.ts';
import { asked } from '../../../support/policy.ts';
import { turnsOf } from '../../../support/turns.ts';

const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 5 });
const acts = fc.oneof(
  fc.record({ act: fc.constant('add' as const), names: letters }),
  fc.record({ act: fc.constant('remove' as const), at: fc.nat({ max: 5 }) }),
  fc.record({ act: fc.constant('ask' as const), name: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
  fc.record({ act: fc.constant('turn' as const) }),
);

test('it answers as the lists do, in whatever order they come, go and are asked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { maxLength: 40 }), async (all) => {
      const index = new NameIndex<number>();
      const lists: Named<number>[] = [];
      for (const [owner, one] of all.entries()) {
        if (one.act === 'turn') await laterTurn();
        else if (one.act === 'add') {
          lists.push({ owner, names: one.names });
          index.add(lists.at(-1) as Named<number>);
        } else if (one.act === 'remove') for (const list of lists.splice(one.at, 1)) index.remove(list);
        else {
          const asks = new Set<number>();
          index.find(one.name, (found) => !asks.add(found));
          const expected = lists.filter(({ names }) => names.includes(one.name)).map((list) => list.owner);
          expect([...asks].sort()).toEqual(expected.sort());
        }
      }
    }),
  );
});

test('the names of hundreds of roles come into the index of a subject in short steps', async () => {
  const granted = new GrantedRules();
  let looked = 0;
  const name = (role: number, i: number): string => `a${String(role)}-${String(i)}`;
  for (let role = 0; role < 900; role += 1) {
    const resourceNames = Array.from({ length: 900 }, (_, i) => name(role, i));
    resourceNames.includes = (wanted) => (looked += 1) > 0 && resourceNames.indexOf(wanted) >= 0;
    const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames, nonResourceURLs: [] };
    granted.put(`r${String(role)}`, new RoleRules([rule]));
  }
  const find = (asks: string): string | undefined =>
    granted.find({ info: { ...asked('get pods'), name: asks }, resource: 'pods', counts: () => true });
  const first = cpuMsOf(() => {
    expect(find('none')).toBeUndefined();
  });
  expect(first).toBeLessThan(cpuBudget(100));
  // Until questions are answered by the index: many times faster than by the lists.
  const turns = await turnsOf(async () => {
    for (looked = 1; looked > 0;) {
      looked = 0;
      find('none');
      await laterTurn();
    }
  });
  expect(turns.length).toBeGreaterThan(10);
  expect(turns[2]).toBeLessThan(cpuBudget(60));
  expect([find(name(899, 899)), find(name(0, 0)), find('none')]).toEqual(['r899', 'r0', undefined]);
});

test('a question that was asked before does not look through thousands of rules', () => {
  let looked = 0;
  const verbs = ['delete'];
  verbs.includes = (verb) => verb === 'delete' && (looked += 1) > 0;
  const rule = { verbs, apiGroups: ['apps'], resources: ['pods'], nonResourceURLs: [] };
  for (const resourceNames of [[], ['a']]) {
    const role = new RoleRules(Array.from({ length: 1_000 }, () => ({ ...rule, resourceNames })));
    const ask = (text: string): boolean => role.allows(asked(text), 'pods');
    expect(ask('delete pods in web named a')).toBe(false);
    expect(looked).toBe(1_000);
    expect([ask('delete pods in web named a'), ask('delete pods.apps in web named a')]).toEqual([
      false,
      true,
    ]);
    expect(looked).toBe(1_001);
    expect(ask('delete pods.apps in web named b')).toBe(resourceNames.length === 0);
    looked = 0;
  }
});

test('answers are kept for as many questions as the rules are worth', () => {
  let looked = 0;
  const verbs = ['delete'];
  verbs.includes = () => (looked += 1) > 0;
  const rule = { verbs, apiGroups: ['apps'], resources: ['pods'], resourceNames: [], nonResourceURLs: [] };
  const role = new RoleRules(Array.from({ length: 80 }, () => ({ ...rule })));
  const ask = (i: number): boolean => role.allows(asked(`get pods.x${String(i)}`), 'pods');
  for (let i = 0; i < 12; i += 1) ask(i);
  looked = 0;
  for (let i = 10; i < 12; i += 1) ask(i);
  expect(looked).toBe(0);
  ask(0);
  expect(looked).toBe(80);
});

test('long verbs and API groups count in the weight of a role', () => {
  const rule = {
    verbs: ['get'],
    apiGroups: [''],
    resources: ['pods'],
    resourceNames: [],
    nonResourceURLs: [],
  };
  const many = Array.from({ length: 5_000 }, (_, i) => String(i));
  for (const heavy of [{ verbs: many }, { apiGroups: many }, { verbs: ['x'.repeat(100_000)] }])
    expect(new RoleRules([{ ...rule, ...heavy }]).weight).toBeGreaterThan(1_000);
});
