/** ABAC mode: the file with its policies, and what they allow. */
import fc from 'fast-check';
import { createAbacAuthorizer } from '../../../src/authz/abac/abac-authorizer.ts';
import { readAbacPolicies } from '../../../src/authz/abac/abac-policy-file.ts';
import type { AuthorizerDecision } from '../../../src/authz/types.ts';
import { FileError } from '../../../src/base/file-error.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
import { cpuBudget, cpuMsOf } from '../../support/cpu-time.ts';
import { asked, user } from '../../support/policy.ts';

function line(spec: object, apiVersion = 'abac.authorization.orch.io/v1beta1'): string {
  return JSON.stringify({ apiVersion, kind: 'Policy', spec });
}

const file = [
  '# who may do what',
  '',
  line({ user: 'admin', namespace: '*', resource: '*', apiGroup: '*' }),
  line({ user: 'scheduler', namespace: '*', resource: 'pods', readonly: true }),
  line({ user: 'bob', group: 'ops', namespace: 'web', resource: 'deployments', apiGroup: 'apps' }),
  line({ group: 'ops', nonResourcePath: '/logs/*' }),
  line({ user: '*', nonResourcePath: '/version', readonly: true }),
  `  ${line({ user: 'eve', nonResourcePath: '*' })}\r`,
].join('\n');

const authorizer = createAbacAuthorizer(readAbacPolicies(file, namingProfiles.orch));

test.each<readonly [string, string, boolean]>([
  ['admin', 'delete deployments.apps in web named d', true],
  ['admin', 'list nodes', true],
  ['admin', 'get /metrics', false],
  ['scheduler', 'list pods', true],
  ['scheduler', 'watch pods in web', true],
  ['scheduler', 'get pods/log in web named p', true],
  ['scheduler', 'create pods in web', false],
  ['scheduler', 'list pods.metrics.orch.io', false],
  ['bob,ops', 'create deployments.apps in web', true],
  ['bob,ops', 'create deployments.apps in api', false],
  ['bob', 'create deployments.apps in web', false],
  ['carl,ops', 'create deployments.apps in web', false],
  ['carl,ops', 'get /logs/today', true],
  ['carl,ops', 'delete /logs/today', true],
  ['carl,ops', 'get /metrics', false],
  ['carl', 'get /logs/today', false],
  ['carl,system:authenticated', 'get /version', true],
  ['carl,system:authenticated', 'post /version', false],
  ['carl,system:unauthenticated', 'get /version', false],
  ['eve', 'get /anything', true],
  ['eve', 'list pods', false],
  ['*', 'get /version', false],
])('%s: %s: %s', (who, text, isAllowed) => {
  const [name = '', ...groups] = who.split(',');
  const decision = authorizer.authorize({ user: user(name, ...groups), info: asked(text) });
  const { decision: what, reason } = decision as AuthorizerDecision;
  expect([what, reason]).toEqual(isAllowed ? ['allow', ''] : ['noOpinion', 'No policy matched.']);
});

test('of 100,000 policies for everybody a decision looks at those of its resource', () => {
  const everybody = (resource: string): string =>
    line({ user: '*', namespace: '*', resource, apiGroup: '*', readonly: true });
  const lines = Array.from({ length: 100_000 }, (_, n) => everybody(`thing${n}s`));
  const many = createAbacAuthorizer(readAbacPolicies(lines.join('\n'), namingProfiles.orch));
  const ask = (text: string): AuthorizerDecision =>
    many.authorize({ user: user('ann', 'system:authenticated'), info: asked(text) }) as AuthorizerDecision;
  const used = cpuMsOf(() => {
    for (let n = 0; n < 1_000; n++) {
      expect(ask('list pods in web').decision).toBe('noOpinion');
      expect(ask('get /metrics').decision).toBe('noOpinion');
      expect(ask(`list thing${n}s in web`).decision).toBe('allow');
    }
  });
  expect(used).toBeLessThan(cpuBudget(500));
});

test.each<[string, (n: number) => object]>([
  ['namespaces', (n) => ({ group: 'dev', namespace: `n${n}`, resource: 'pods', apiGroup: '' })],
  ['groups of the API', (n) => ({ group: 'dev', namespace: '*', resource: '*', apiGroup: `g${n}` })],
  ['paths', (n) => ({ group: 'dev', nonResourcePath: `/p${n}` })],
  ['beginnings of paths', (n) => ({ group: 'dev', nonResourcePath: `/p${n}/*` })],
  [
    'groups of a user',
    (n) => ({ user: 'ann', group: `g${n}`, namespace: '*', resource: 'pods', apiGroup: '' }),
  ],
])('100,000 policies that differ in their %s cost a decision next to nothing', (_what, spec) => {
  const policies = Array.from({ length: 100_000 }, (_, n) => ({
    ...{
      user: '',
      group: '',
      readonly: false,
      apiGroup: '',
      resource: '',
      namespace: '',
      nonResourcePath: '',
    },
    ...spec(n),
  }));
  const many = createAbacAuthorizer(policies);
  const ann = user('ann', ...Array.from({ length: 100 }, (_, n) => `other${n}`), 'dev');
  const decide = (text: string): AuthorizerDecision =>
    many.authorize({ user: ann, info: asked(text) }) as AuthorizerDecision;
  let allowed = 0;
  const used = cpuMsOf(() => {
    for (let n = 0; n < 300; n++)
      for (const text of ['list pods in web', 'get /metrics/a/b'])
        if (decide(text).decision === 'allow') allowed++;
  });
  expect(allowed).toBe(0);
  expect(used).toBeLessThan(cpuBudget(200));
});

const word = fc.constantFrom('', '*', 'a', 'b');
const anyPolicy = fc.record({
  user: word,
  group: word,
  readonly: fc.boolean(),
  apiGroup: word,
  resource: word,
  namespace: word,
  nonResourcePath: fc.constantFrom('', '*', '/a', '/a*', '/a/*', '/'),
});

test('the index decides as the policies one by one', () => {
  const covers = (of: string, what: string): boolean => of === '*' || of === what;
  const coversPath = (of: string, path: string): boolean =>
    of === path || (of.endsWith('*') && path.startsWith(of.slice(0, -1)));
  const request = fc.record({
    isResourceRequest: fc.boolean(),
    verb: fc.constantFrom('get', 'watch', 'create'),
    ...{ apiGroup: word, resource: fc.constantFrom('a', 'b'), namespace: word },
    path: fc.constantFrom('/a', '/a/b', '/ab', '/'),
  });
  fc.assert(
    fc.property(
      fc.array(anyPolicy, { maxLength: 6 }),
      fc.constantFrom('a', 'b'),
      fc.subarray(['a', 'b']),
      request,
      (policies, name, groups, asks) => {
        const expected = policies.some(
          (policy) =>
            (policy.user !== '' || policy.group !== '') &&
            (policy.user === '' || policy.user === name) &&
            (policy.group === '' || groups.includes(policy.group)) &&
            (!policy.readonly || asks.verb !== 'create') &&
            (asks.isResourceRequest
              ? covers(policy.namespace, asks.namespace) &&
                covers(policy.resource, asks.resource) &&
                covers(policy.apiGroup, asks.apiGroup)
              : coversPath(policy.nonResourcePath, asks.path)),
        );
        const info = { ...asked('get pods'), ...asks };
        const decision = createAbacAuthorizer(policies).authorize({ user: user(name, ...groups), info });
        expect((decision as AuthorizerDecision).decision).toBe(expected ? 'allow' : 'noOpinion');
      },
    ),
  );
});

/** The policies of the reference's example file, and lines of the version before it. */
const example = (
  [
    { group: 'system:authenticated', nonResourcePath: '*', readonly: true },
    { group: 'system:unauthenticated', nonResourcePath: '*', readonly: true },
    { user: 'admin', namespace: '*', resource: '*', apiGroup: '*' },
    { user: 'scheduler', namespace: '*', resource: 'pods', readonly: true },
    { user: 'scheduler', namespace: '*', resource: 'bindings' },
    { user: 'kubelet', namespace: '*', resource: 'services', readonly: true },
    { user: 'kubelet', namespace: '*', resource: 'events' },
    { user: 'alice', namespace: 'projectCaribou', resource: '*', apiGroup: '*' },
    { user: 'bob', namespace: 'projectCaribou', resource: '*', apiGroup: '*', readonly: true },
  ] satisfies object[]
).map((spec) => line(spec, 'abac.authorization.kubernetes.io/v1beta1'));
const unversioned = [
  '{"readonly": true, "resource": "nodes"}',
  '{"user": "old", "resource": "pods"}',
  '{"apiVersion": "abac.authorization.kubernetes.io/v0", "kind": "Policy", "group": "old", "namespace": "web"}',
  '{"kind": "Policy", "user": "reader", "readonly": true}',
  '{"user": "both", "group": "ops", "resource": "pods", "namespace": "web"}',
];
const mixed = createAbacAuthorizer(
  readAbacPolicies([...example, ...unversioned].join('\n'), namingProfiles.kubernetes),
);

test.each<readonly [string, string, boolean]>([
  ['admin', 'delete deployments.apps in web named d', true],
  ['scheduler', 'create bindings in web', true],
  ['scheduler', 'create pods in web', false],
  ['kubelet', 'list services', true],
  ['kubelet', 'create services in web', false],
  ['alice', 'create deployments.apps in projectCaribou', true],
  ['alice', 'list pods in projectcaribou', false],
  ['bob', 'list pods in projectCaribou', true],
  ['bob', 'delete pods in projectCaribou named p', false],
  ['x,system:unauthenticated', 'get /version', true],
  ['x,system:unauthenticated', 'list nodes', false],
  ['x,system:authenticated', 'list nodes', true],
  ['x,system:authenticated', 'list nodes.metrics.kubernetes.io', true],
  ['x,system:authenticated', 'create nodes', false],
  ['old', 'delete pods in web named p', true],
  ['old', 'create pods.metrics.kubernetes.io in web', true],
  ['old', 'post /version', false],
  ['x,old', 'create services in web', true],
  ['x,old', 'create services in api', false],
  ['x,old', 'post /version', false],
  ['reader', 'list secrets', true],
  ['reader', 'get /metrics', true],
  ['reader', 'create secrets in web', false],
  ['both,ops', 'create pods in web', true],
  ['both', 'create pods in web', false],
])('lines of both versions: %s: %s: %s', (who, text, isAllowed) => {
  const [name = '', ...groups] = who.split(',');
  expect(mixed.authorize({ user: user(name, ...groups), info: asked(text) })).toMatchObject({
    decision: isAllowed ? 'allow' : 'noOpinion',
  });
});

test('a line of the older version says nothing that it does not know', () => {
  const broken = [
    '{"spec": {"user": "ann"}}',
    '{"user": "ann", "nonResourcePath": "/api"}',
    '{"user": "ann", "apiGroup": "apps"}',
    '{"kind": "Role"}',
    '{"user": 1, "readonly": "yes"}',
  ].join('\n');
  expect(() => readAbacPolicies(broken, namingProfiles.orch)).toThrow(
    [
      'line 1: unknown field "spec"',
      'line 2: unknown field "nonResourcePath"',
      'line 3: unknown field "apiGroup"',
      'line 4: kind must be Policy',
      'line 5: readonly must be true or false',
      'line 5: user must be a string',
    ].join('; '),
  );
});

test('the rules of a user are listed', () => {
  const rules = authorizer.rulesFor(user('bob', 'ops'), 'web');
  expect(rules.resourceRules).toMatchObject([
    { verbs: ['*'], apiGroups: ['apps'], resources: ['deployments'] },
  ]);
  expect(rules.problems).toEqual([]);
  expect(authorizer.rulesFor(user('scheduler'), 'web').resourceRules).toMatchObject([
    { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] },
  ]);
});

test('every error in the file is told with its line, and no policy of it counts', () => {
  const broken = [
    line({ user: 'ann', resource: 'pods' }),
    '{"apiVersion": ',
    '[]',
    line({ user: 'ann', readOnly: true }),
    line({ user: 1, readonly: 'yes' }),
    line({}, 'v1'),
    JSON.stringify({ apiVersion: 'abac.authorization.orch.io/v1beta1', kind: 'Role' }),
  ].join('\n');
  const read = (): unknown => readAbacPolicies(broken, namingProfiles.orch);
  expect(read).toThrow(FileError);
  expect(read).toThrow(
    [
      'line 2: not a JSON object',
      'line 3: not a JSON object',
      'line 4: unknown field "readOnly"',
      'line 5: spec.readonly must be true or false',
      'line 5: spec.user must be a string',
      'line 6: apiVersion must be abac.authorization.orch.io/v1beta1',
      'line 7: kind must be Policy',
      'line 7: spec must be an object',
    ].join('; '),
  );
});
