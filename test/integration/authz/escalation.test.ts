/** Nobody gives what they do not have: writes of roles and bindings by somebody who may write them, and little else. */
import type { Answer } from '../../support/client.ts';
import {
  binding,
  rbac,
  role,
  rule,
  startServices,
  until,
  type Services,
} from '../../support/authorized-server.ts';

let services: Services;
const roles = `${rbac}/namespaces/web/roles`;
const bindings = `${rbac}/namespaces/web/rolebindings`;

beforeAll(async () => {
  services = await startServices(2);
  const { admin } = services;
  const policy = ['rbac.authorization.orch.io'];
  await admin.ok(
    'POST',
    roles,
    role('policy-writer', rule('* roles,rolebindings', policy), rule('get,list pods')),
  );
  await admin.ok('POST', bindings, binding('writers', 'Role policy-writer', 'User ann'));
  await admin.ok(
    'POST',
    `${rbac}/clusterroles`,
    role('cluster-policy', rule('create,update,patch,get clusterroles', policy), rule('get nodes')),
  );
  await admin.ok(
    'POST',
    `${rbac}/clusterrolebindings`,
    binding('dora', 'ClusterRole cluster-policy', 'User dora'),
  );
  for (const replica of [0, 1]) await until(services.as('ann', replica), ['GET', roles], 200);
  await until(services.as('dora'), ['GET', `${rbac}/clusterroles/view`], 200);
});
afterAll(() => services[Symbol.asyncDispose]());

function messageOf(answer: Answer): string {
  return (answer.json() as unknown as { message: string }).message;
}

test('a role may hold what its writer has, in whatever pieces; the star verb on roles is escalate, too', async () => {
  expect((await services.as('ann').post(roles, role('free', rule('get secrets')))).status).toBe(201);
  // Without escalate.
  await services.admin.ok('PUT', `${roles}/policy-writer`, {
    ...role(
      'policy-writer',
      rule('create,update,patch,get,list,delete roles,rolebindings', ['rbac.authorization.orch.io']),
      rule('get,list pods'),
    ),
  });
  await until(services.as('ann'), ['POST', `${roles}?dryRun=All`, role('x', rule('get secrets'))], 403);
  const held = role('held', rule('get pods'), { ...rule('list pods'), resourceNames: ['a'] });
  expect((await services.as('ann').post(roles, held)).status).toBe(201);
});

test('a role that says everything a thousand times is answered soon', async () => {
  const again = (text: string): string[] => Array.from({ length: 1_000 }, () => text);
  const resourceNames = Array.from({ length: 1_000 }, (_, n) => `name-${n}`);
  const long = { verbs: again('get'), apiGroups: again(''), resources: again('pods'), resourceNames };
  expect((await services.as('ann').post(`${roles}?timeout=5s`, role('long', long))).status).toBe(201);
});

const missing = [
  'is forbidden: user "ann" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:',
  '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}',
  '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete"]}',
];

test('escalating rules are reported, for each kind of write', async () => {
  const ann = services.as('ann');
  const wanted = role('more', rule('get,delete pods,secrets'));
  const refused = await ann.post(roles, wanted);
  expect([refused.status, messageOf(refused)]).toEqual([
    403,
    `roles.rbac.authorization.orch.io "more" ${missing.join('\n')}`,
  ]);
  expect((await ann.post(`${roles}?dryRun=All`, wanted)).status).toBe(403);
  await ann.ok('POST', roles, role('more', rule('get pods')));
  const put = await ann.put(`${roles}/more`, wanted);
  const merge = await ann.patch(`${roles}/more`, 'merge', { rules: [rule('get,delete pods,secrets')] });
  const json = await ann.patch(`${roles}/more`, 'json', [
    { op: 'add', path: '/rules/-', value: rule('get,delete pods,secrets') },
  ]);
  const apply = await ann.patch(`${roles}/applied?fieldManager=ann`, 'apply', {
    ...{ apiVersion: 'rbac.authorization.orch.io/v1', kind: 'Role' },
    ...wanted,
    metadata: { name: 'applied' },
  });
  for (const answer of [put, merge, json, apply])
    expect([answer.status, messageOf(answer)]).toEqual([403, expect.stringContaining(missing[2] ?? '')]);
  const old = await ann.post(
    `/apis/rbac.authorization.orch.io/v1beta1/namespaces/web/roles`,
    role('old', rule('get secrets')),
  );
  expect(old.status).toBe(403);
});

test('a binding gives what its writer has, or a role that the writer may bind; a role that is not there is 404', async () => {
  const { admin, as } = services;
  const to = (name: string, target: string): object => binding(name, target, 'User bob');
  expect((await as('ann').post(bindings, to('one', 'Role held'))).status).toBe(201);
  const refused = await as('ann').post(bindings, to('two', 'ClusterRole cluster-admin'));
  expect([refused.status, messageOf(refused)]).toEqual([
    403,
    'rolebindings.rbac.authorization.orch.io "two" is forbidden: user "ann" (groups=["devs" "system:authenticated"]) is ' +
      'attempting to grant RBAC permissions not currently held:\n' +
      '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}',
  ]);
  const gone = await as('ann').post(bindings, to('three', 'ClusterRole nowhere'));
  expect([gone.status, messageOf(gone)]).toEqual([
    404,
    'clusterroles.rbac.authorization.orch.io "nowhere" not found',
  ]);
  const bind = {
    ...rule('bind clusterroles', ['rbac.authorization.orch.io']),
    resourceNames: ['cluster-admin'],
  };
  await admin.ok('POST', roles, role('binder', bind));
  await admin.ok('POST', bindings, binding('binder', 'Role binder', 'User ann'));
  await until(as('ann'), ['POST', `${bindings}?dryRun=All`, to('two', 'ClusterRole cluster-admin')], 201);
  // Soon, when its rules were gathered: until then it gives nothing.
  await until(as('ann'), ['POST', `${bindings}?dryRun=All`, to('four', 'ClusterRole edit')], 403);
});

test('a role that was just made at another replica is known when it is bound', async () => {
  const { admin, as } = services;
  for (let n = 0; n < 10; n++) {
    await admin.ok('POST', roles, role(`fresh-${n}`, rule('get pods')));
    const answer = await as('ann', 1).post(bindings, binding(`fresh-${n}`, `Role fresh-${n}`, 'User bob'));
    expect([n, answer.status]).toEqual([n, 201]);
  }
});

test('a user who may update the role may remove finalizers without having its permissions', async () => {
  const { admin, as } = services;
  const rich = {
    ...role('rich', rule('* *', ['*'])),
    metadata: { name: 'rich', finalizers: ['example.com/hold'] },
  };
  await admin.ok('POST', roles, rich);
  const label = await as('ann').patch(`${roles}/rich`, 'merge', { metadata: { labels: { a: 'b' } } });
  expect(label.status).toBe(403);
  const freed = await as('ann').patch(`${roles}/rich`, 'merge', { metadata: { finalizers: null } });
  expect(freed.status).toBe(200);
});

test('roles of the cluster: paths, and what gathers anything needs everything', async () => {
  const dora = services.as('dora');
  const clusterRoles = `${rbac}/clusterroles`;
  expect((await dora.post(clusterRoles, role('nodes', rule('get nodes')))).status).toBe(201);
  const paths = await dora.post(clusterRoles, role('logs', { nonResourceURLs: ['/logs/*'], verbs: ['get'] }));
  expect([paths.status, messageOf(paths)]).toEqual([
    403,
    expect.stringContaining('\n{NonResourceURLs:["/logs/*"], Verbs:["get"]}'),
  ]);
  const gathering = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }, rules: [] };
  const refused = await dora.post(clusterRoles, { metadata: { name: 'all' }, ...gathering });
  expect([refused.status, messageOf(refused)]).toEqual([
    403,
    'clusterroles.rbac.authorization.orch.io "all" is forbidden: must have cluster-admin privileges to use the aggregationRule',
  ]);
  const freed = await dora.patch(`${clusterRoles}/view`, 'merge', { aggregationRule: null });
  expect(freed.status).toBe(403);
});
