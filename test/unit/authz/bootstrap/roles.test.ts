/** Every built-in role against a matrix of requests, and who has the roles at the beginning. */
import { createRbacAuthorizer } from '../../../../src/authz/rbac/rbac-authorizer.ts';
import type { UserInfo } from '../../../../src/meta/user.ts';
import { asked, bindingOf, entryOf, rbacGroup, TestPolicy, user } from '../../../support/policy.ts';
import { whoMay } from './matrix.ts';
import { completeRoles, policy } from './support.ts';

let roles: Awaited<ReturnType<typeof completeRoles>>;
beforeAll(async () => {
  roles = await completeRoles();
});

function short(role: string): string {
  return role.replace('system:controller:', 'c:');
}

/** Whether a role allows a request; one of a namespace is given in the namespace that the request is about. */
async function allows(key: string, request: string): Promise<boolean> {
  const { plural, name, object } = roles.get(key)!;
  const info = asked(request);
  const isNamespaced = plural === 'roles';
  if (isNamespaced && info.namespace === '') return false;
  const at = (where: string): string => (isNamespaced ? `${info.namespace}/${where}` : where);
  const given = new TestPolicy()
    .put(plural, at(name), { rules: object['rules']! })
    .put(
      isNamespaced ? 'rolebindings' : 'clusterrolebindings',
      at('b'),
      bindingOf(`${isNamespaced ? 'Role' : 'ClusterRole'} ${name}`, 'User x'),
    );
  const authorizer = createRbacAuthorizer(given.index, rbacGroup);
  return (await authorizer.authorize({ user: user('x'), info })).decision === 'allow';
}

test.each(Object.entries(whoMay))('%s', async (request, expected) => {
  const found: string[] = [];
  for (const key of roles.keys()) if (await allows(key, request)) found.push(short(key));
  expect(found.sort()).toEqual(expected.trim().split(/\s+/).sort());
});

test('aggregated roles begin with what their controller gives them', () => {
  const aggregated = policy.filter(({ object }) => object['aggregationRule'] !== undefined);
  expect(aggregated.map(({ name }) => name).sort()).toEqual(['admin', 'edit', 'view']);
  for (const { name, object } of aggregated) {
    expect(object['rules']).not.toEqual([]);
    expect(object['rules']).toEqual(roles.get(name)?.object['rules']);
  }
});

test('the matrix knows every role', () => {
  const known = new Set(Object.values(whoMay).flatMap((names) => names.trim().split(/\s+/)));
  expect([...roles.keys()].map(short).filter((name) => !known.has(name))).toEqual([]);
});

function account(name: string): UserInfo {
  return user(`system:serviceaccount:orch-system:${name}`, 'system:serviceaccounts', 'system:authenticated');
}

const people: [string, UserInfo, string[], string[]][] = [
  [
    'nobody',
    user('system:anonymous', 'system:unauthenticated'),
    ['get /healthz', 'get /version'],
    ['get /apis', 'list pods'],
  ],
  [
    'anybody',
    user('ann', 'system:authenticated'),
    ['get /apis', 'get /openapi/v2', 'create selfsubjectaccessreviews.authorization.orch.io'],
    ['list pods', 'get /metrics', 'create subjectaccessreviews.authorization.orch.io'],
  ],
  ['a master', user('root', 'system:masters'), ['escalate clusterroles.x named y', 'post /z'], []],
  ['the monitoring', user('m', 'system:monitoring'), ['get /metrics', 'get /livez/ping'], ['list pods']],
  ['an account', account('x'), ['get /openid/v1/jwks', 'get /apis'], ['list pods']],
  ['a controller', account('job-controller'), ['create pods in web'], ['create jobs.batch in web']],
  [
    'the cleaner',
    account('token-cleaner'),
    ['delete secrets in orch-system named a'],
    ['delete secrets in web named a'],
  ],
  [
    'the scheduler',
    user('system:kube-scheduler'),
    [
      'create pods/binding in web',
      'update persistentvolumes named v',
      'get configmaps in orch-system named extension-apiserver-authentication',
    ],
    ['list secrets'],
  ],
  ['a node', user('system:node:n', 'system:nodes'), [], ['list pods']],
  [
    "this service's controllers",
    user('system:orch-controller-manager'),
    [
      'deletecollection widgets.example.com in web',
      'update namespaces/finalize named web',
      'escalate clusterroles.rbac.authorization.orch.io named view',
      'update leases.coordination.orch.io in orch-system named orch-controller-manager',
      'create configmaps in web',
      'update secrets in web named a',
    ],
    ['create pods in web', 'impersonate users', 'approve signers.certificates.orch.io'],
  ],
];

test.each(people)('%s', async (_name, who, allowed, refused) => {
  const whole = new TestPolicy();
  for (const { plural, object } of [...policy, ...roles.values()])
    whole.index.put(plural, entryOf(plural, object));
  const authorizer = createRbacAuthorizer(whole.index, rbacGroup);
  const decide = async (request: string): Promise<[string, string]> => [
    request,
    (await authorizer.authorize({ user: who, info: asked(request) })).decision,
  ];
  for (const request of allowed) expect(await decide(request)).toEqual([request, 'allow']);
  for (const request of refused) expect(await decide(request)).toEqual([request, 'noOpinion']);
});
