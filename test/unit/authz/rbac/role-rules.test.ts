/** The rules of one role: the index of them decides as they do one by one, and takes little more memory than their text. */
import fc from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readRules, type PolicyRule } from '../../../../src/authz/rbac/policy-rule.ts';
import { RoleRules } from '../../../../src/authz/rbac/role-rules.ts';
import type { JsonValue } from '../../../../src/base/json.ts';
import { asked } from '../../../support/policy.ts';

const words = fc.uniqueArray(fc.constantFrom('*', 'a', 'b'), { maxLength: 3 });
const names = fc.uniqueArray(fc.constantFrom(...Array.from({ length: 12 }, (_, i) => `n${String(i)}`)), {
  maxLength: 12,
});
const anyRule: fc.Arbitrary<PolicyRule> = fc.record({
  ...{ verbs: words, apiGroups: words, resources: words, resourceNames: names },
  nonResourceURLs: fc.constant([]),
});

test('the index allows what one of the rules allows', () => {
  const has = (list: readonly string[], word: string): boolean => list.includes(word) || list.includes('*');
  const request = fc.record({
    ...{ verb: fc.constantFrom('a', 'b'), apiGroup: fc.constantFrom('a', 'b') },
    ...{ resource: fc.constantFrom('a', 'b'), name: fc.constantFrom('', 'n1', 'n9') },
  });
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 6 }), request, (list, asks) => {
      const expected = list.some(
        ({ verbs, apiGroups, resources, resourceNames }) =>
          has(verbs, asks.verb) &&
          has(apiGroups, asks.apiGroup) &&
          has(resources, asks.resource) &&
          (resourceNames.length === 0 || resourceNames.includes(asks.name)),
      );
      const info = { ...asked('get pods'), ...asks, subresource: '' };
      expect(new RoleRules(list).allows(info, asks.resource)).toBe(expected);
    }),
  );
});

test('texts that are no texts count as empty, and lists of texts are kept as they are', () => {
  const rules = [{ verbs: ['get', 1], apiGroups: 'a', resources: ['pods'], resourceNames: [] }, 'none'];
  expect(readRules(rules as JsonValue)).toEqual([
    { verbs: ['get'], apiGroups: [], resources: ['pods'], resourceNames: [], nonResourceURLs: [] },
  ]);
});

test('the rules of large roles take less than six times the memory of their text', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const rule = (role: number, i: number): object => ({
    ...{ verbs: ['get', 'list'], apiGroups: ['apps'], resources: [`things${String(i)}`] },
    resourceNames: [`name${String(role)}-${String(i)}`],
  });
  const texts = Array.from({ length: 5 }, (_, role) =>
    JSON.stringify(Array.from({ length: 12_000 }, (_rule, i) => rule(role, i))),
  );
  const bytes = texts.reduce((sum, { length }) => sum + length, 0);
  const before = heap();
  const roles = texts.map((text) => new RoleRules(readRules(JSON.parse(text) as JsonValue)));
  expect((heap() - before) / bytes).toBeLessThan(6);
  expect(roles.length).toBe(5);
});
