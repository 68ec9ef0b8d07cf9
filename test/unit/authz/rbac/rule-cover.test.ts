/** Who may give what: which rules cover which, and how the rest is told. */
import { readRules, type PolicyRule } from '../../../../src/authz/rbac/policy-rule.ts';
import { describeRule, missingRules } from '../../../../src/authz/rbac/rule-cover.ts';
import { ruleOf } from '../../../support/policy.ts';
import { threadCpuMs } from '../../../support/cpu-time.ts';

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
  expect((await missingRules(held, wanted)).map(describeRule)).toEqual(missing);
});

test('long lists do not hold the thread, and the comparison ends with its signal', async () => {
  const names = Array.from({ length: 40_000 }, (_, n) => `name-${n}`);
  const long = rules(ruleOf('get', 'pods', '', names.join(',')));
  const ending = new AbortController();
  let longest = 0;
  let last = threadCpuMs();
  const timer = setInterval(() => {
    longest = Math.max(longest, threadCpuMs() - last);
    last = threadCpuMs();
  }, 1);
  setTimeout(() => ending.abort(new Error('over')), 200);
  await expect(missingRules(long, long, ending.signal)).rejects.toThrow('over');
  clearInterval(timer);
  expect(longest).toBeLessThan(100);
});
