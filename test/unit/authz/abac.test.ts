/** ABAC mode: the file with its policies, and what they allow. */
import { createAbacAuthorizer } from '../../../src/authz/abac/abac-authorizer.ts';
import { readAbacPolicies } from '../../../src/authz/abac/abac-policy-file.ts';
import type { AuthorizerDecision } from '../../../src/authz/types.ts';
import { FileError } from '../../../src/base/file-error.ts';
import { namingProfiles } from '../../../src/meta/naming.ts';
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
