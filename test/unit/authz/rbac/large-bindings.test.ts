/** Bindings of a megabyte, and subjects of thousands of roles: in short steps, and with the decisions of small ones. */
import fc from 'fast-check';
import type { JsonObject } from '../../../../src/base/json.ts';
import { PolicyIndex } from '../../../../src/authz/rbac/policy-index.ts';
import { laterTurn } from '../../../../src/base/cooperate.ts';
import { cpuBudget, cpuMsOf } from '../../../support/cpu-time.ts';
import { asked, bindingOf, entryOf, policyObject, ruleOf, user } from '../../../support/policy.ts';
import { turnsOf } from '../../../support/turns.ts';

const many = 20_000;

function put(index: PolicyIndex, ...what: Parameters<typeof policyObject>): void {
  index.put(what[0], entryOf(what[0], policyObject(...what)));
}

/** An index with roles whose name is the resource that they are about. */
function indexWith(...roles: string[]): PolicyIndex {
  const index = new PolicyIndex();
  for (const role of roles) put(index, 'clusterroles', role, { rules: [ruleOf('get', role)] });
  return index;
}

function bindingTo(role: string, names: readonly string[]): JsonObject {
  return {
    roleRef: { kind: 'ClusterRole', name: role },
    subjects: names.map((name) => ({ kind: 'User', name })),
  };
}

function prepare(index: PolicyIndex, key: string, role: string, names: readonly string[]) {
  const object = policyObject('clusterrolebindings', key, bindingTo(role, names));
  return index.prepare('clusterrolebindings', entryOf('clusterrolebindings', object));
}

function allows(index: PolicyIndex, name: string, resource: string): boolean {
  const query = { info: asked(`get ${resource}`), resource, missing: () => undefined };
  return index.find(user(name), query) !== undefined;
}

const people = Array.from({ length: many }, (_, i) => `u${String(i)}`);
const [first = '', last = ''] = [people[0], people.at(-1)];

/** Turns that may be long: a garbage collection falls into some. */
function expectShort(turns: readonly number[]): void {
  expect(turns.length).toBeGreaterThan(3);
  expect(turns[Math.floor(turns.length / 2)]).toBeLessThan(cpuBudget(8));
}

test('a binding of a megabyte comes into force in one moment, after short turns', async () => {
  const index = indexWith('pods', 'nodes');
  put(index, 'clusterrolebindings', 'big', bindingTo('nodes', ['ann']));
  let take: (() => void) | undefined;
  const turns = await turnsOf(async () => {
    take = await prepare(index, 'big', 'pods', people);
  });
  expectShort(turns);
  expect([allows(index, first, 'pods'), allows(index, 'ann', 'nodes')]).toEqual([false, true]);
  expect([...index.grants(user(first), '')]).toEqual([]);
  expect(cpuMsOf(() => take?.())).toBeLessThan(cpuBudget(2));
  const seen = [first, last, 'ann'].map((name) => [
    allows(index, name, 'pods'),
    allows(index, name, 'nodes'),
  ]);
  expect(seen).toEqual([
    [true, false],
    [true, false],
    [false, false],
  ]);
});

test('its end is at once, its traces go in slices', async () => {
  const index = indexWith('pods');
  (await prepare(index, 'big', 'pods', people))();
  const turns = await turnsOf(async () => {
    index.remove('clusterrolebindings', 'big');
    expect([allows(index, first, 'pods'), allows(index, last, 'pods')]).toEqual([false, false]);
    for (let i = 0; i < 50; i += 1) await laterTurn();
  });
  expectShort(turns);
  expect([...index.keys('clusterrolebindings')]).toEqual([]);
  (await prepare(index, 'big', 'pods', ['ann']))();
  expect([allows(index, first, 'pods'), allows(index, 'ann', 'pods')]).toEqual([false, true]);
});

test('one that is removed, or is replaced while it is read, never counts', async () => {
  const index = indexWith('pods', 'nodes');
  const late = prepare(index, 'big', 'pods', people);
  index.remove('clusterrolebindings', 'big');
  const replaced = prepare(index, 'other', 'pods', people);
  (await prepare(index, 'other', 'nodes', ['ann']))();
  (await replaced)();
  const take = await late;
  index.remove('clusterrolebindings', 'big');
  take();
  const takeOther = await prepare(index, 'other', 'pods', people);
  put(index, 'clusterrolebindings', 'other', bindingTo('nodes', ['bob']));
  takeOther();
  expect(allows(index, 'bob', 'nodes')).toBe(true);
  for (const name of [first, last, 'ann']) expect(allows(index, name, 'pods')).toBe(false);
  expect(allows(index, 'ann', 'nodes')).toBe(false);
});

const change = fc.record({
  key: fc.constantFrom('a', 'b'),
  role: fc.constantFrom('pods', 'nodes', 'gone'),
  names: fc.subarray(['ann', 'bob', 'eve']),
  how: fc.constantFrom('put', 'prepare', 'remove'),
});

test('whichever way bindings come, a user has what those in force give', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
      const index = indexWith('pods', 'nodes');
      const state = new Map<string, { role: string; names: readonly string[] }>();
      for (const { key, role, names, how } of changes) {
        if (how === 'put') put(index, 'clusterrolebindings', key, bindingTo(role, names));
        else if (how === 'prepare') (await prepare(index, key, role, names))();
        else index.remove('clusterrolebindings', key);
        if (how === 'remove') state.delete(key);
        else state.set(key, { role, names });
        for (const name of ['ann', 'bob', 'eve'])
          for (const resource of ['pods', 'nodes']) {
            const given = [...state.values()].some(
              (one) => one.role === resource && one.names.includes(name),
            );
            expect(allows(index, name, resource)).toBe(given);
          }
      }
    }),
    { numRuns: 200 },
  );
});

describe('a subject of thousands of middle-sized roles', () => {
  const roles = 1_200;
  const resourceOf = (i: number, j: number): string => `r${String(i)}x${String(j)}`;
  const rulesOf = (i: number): JsonObject => {
    const resources = Array.from({ length: 300 }, (_, j) => resourceOf(i, j));
    return { rules: [{ verbs: ['get'], apiGroups: [''], resources }] };
  };

  function indexOfAll(): PolicyIndex {
    const index = new PolicyIndex();
    for (let i = 0; i < roles; i += 1) {
      put(index, 'clusterroles', `role-${String(i)}`, rulesOf(i));
      put(
        index,
        'clusterrolebindings',
        `b-${String(i)}`,
        bindingOf(`ClusterRole role-${String(i)}`, 'User ann'),
      );
    }
    return index;
  }

  test('is never put together in one step, and each question has its answer', () => {
    const index = indexOfAll();
    const took = Array.from({ length: 300 }, (_, i) =>
      cpuMsOf(() => {
        const at = (i * 37) % roles;
        expect(allows(index, 'ann', resourceOf(at, i % 300))).toBe(true);
        if (i % 10 === 0) expect(allows(index, 'ann', 'nothing')).toBe(false);
      }),
    ).sort((a, b) => b - a);
    // To put all together took half a second and more. Some have a garbage collection in them.
    expect(took[0]).toBeLessThan(cpuBudget(150));
    expect(took[30]).toBeLessThan(cpuBudget(12));
  });

  test('sees roles that change and go, before and after they are in the index', () => {
    const index = indexOfAll();
    for (let round = 0; round < 250; round += 1) {
      const at = (round * 13) % roles;
      const name = `role-${String(at)}`;
      put(index, 'clusterroles', name, { rules: [ruleOf('get', `new${String(round)}`)] });
      expect(allows(index, 'ann', `new${String(round)}`)).toBe(true);
      expect(allows(index, 'ann', resourceOf(at, 1))).toBe(false);
      index.remove('clusterroles', name);
      expect(allows(index, 'ann', `new${String(round)}`)).toBe(false);
    }
  });
});
