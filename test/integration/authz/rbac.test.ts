/** RBAC over three replicas of a service: given through one, it counts at the others; and what each verb needs. */
import { waitFor } from '../../support/wait-for.ts';
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
beforeAll(async () => {
  services = await startServices(3);
});
afterAll(() => services[Symbol.asyncDispose]());

const pods = '/api/v1/namespaces/web/pods';
const configMaps = '/api/v1/namespaces/web/configmaps';

test('replicas that start together leave one policy, each object once and unchanged by the others', async () => {
  const { items } = await services.admin.list(`${rbac}/clusterroles`);
  const names = items.map(({ metadata }) => metadata.name);
  expect(names).toEqual(
    expect.arrayContaining(['admin', 'cluster-admin', 'edit', 'system:basic-user', 'view']),
  );
  expect(new Set(names).size).toBe(names.length);
  const fixed = items.filter((item) => !('aggregationRule' in item));
  const rewritten = fixed.filter(({ metadata }) => {
    const { managedFields } = metadata as { managedFields?: unknown[] };
    return (managedFields ?? []).length > 1;
  });
  expect(rewritten.map(({ metadata }) => metadata.name)).toEqual([]);
});

test('what is given through one replica counts at all, and what is taken too', async () => {
  const { admin } = services;
  await admin.ok('POST', `${rbac}/namespaces/web/roles`, role('pod-reader', rule('get,list,watch pods')));
  for (const replica of [0, 1, 2]) expect((await services.as('bob', replica).get(pods)).status).toBe(403);
  await admin.ok(
    'POST',
    `${rbac}/namespaces/web/rolebindings`,
    binding('bob-reads', 'Role pod-reader', 'User bob'),
  );
  for (const replica of [0, 1, 2]) await until(services.as('bob', replica), ['GET', pods], 200);
  expect((await services.as('bob').get('/api/v1/namespaces/api/pods')).status).toBe(403);
  expect((await services.as('bob').get('/api/v1/pods')).status).toBe(403);
  const watch = await services.as('bob', 1).watch(pods);
  watch.close();
  await admin.ok('DELETE', `${rbac}/namespaces/web/rolebindings/bob-reads`);
  for (const replica of [0, 1, 2]) await until(services.as('bob', replica), ['GET', pods], 403);
});

test('a refusal says who may not do what and where, as clients know it', async () => {
  const bob = services.as('bob');
  const messages = await Promise.all(
    [
      () => bob.get(`${pods}/a`),
      () => bob.get(pods),
      () => bob.get(`${pods}?watch=true`),
      () => bob.get('/apis/apps/v1/deployments'),
      () => bob.get(`${pods}/a/log`),
      () => bob.delete(pods),
      () => bob.get('/metrics'),
      () => bob.get('/api/v1/nodes?fieldSelector=metadata.name=n1'),
    ].map(async (ask) => (await ask()).json() as unknown as { message: string }),
  );
  expect(messages.map(({ message }) => message)).toEqual([
    'pods "a" is forbidden: User "bob" cannot get resource "pods" in API group "" in the namespace "web"',
    'pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "web"',
    'pods is forbidden: User "bob" cannot watch resource "pods" in API group "" in the namespace "web"',
    'deployments.apps is forbidden: User "bob" cannot list resource "deployments" in API group "apps" at the cluster scope',
    'pods "a" is forbidden: User "bob" cannot get resource "pods/log" in API group "" in the namespace "web"',
    'pods is forbidden: User "bob" cannot deletecollection resource "pods" in API group "" in the namespace "web"',
    'forbidden: User "bob" cannot get path "/metrics"',
    'nodes "n1" is forbidden: User "bob" cannot list resource "nodes" in API group "" at the cluster scope',
  ]);
});

test('discovery is open to authenticated users only', async () => {
  const anonymous = services.replicas[0]!.client();
  const paths = [
    '/api',
    '/api/v1',
    '/apis',
    '/apis/apps/v1',
    '/openapi/v2',
    '/version',
    '/healthz',
    '/readyz',
  ];
  for (const path of paths) expect([path, (await services.as('bob').get(path)).status]).toEqual([path, 200]);
  const open = await Promise.all(paths.map(async (path) => [path, (await anonymous.get(path)).status]));
  expect(Object.fromEntries(open)).toEqual({
    '/api': 403,
    '/api/v1': 403,
    '/apis': 403,
    '/apis/apps/v1': 403,
    '/openapi/v2': 403,
    '/version': 200,
    '/healthz': 200,
    '/readyz': 200,
  });
  anonymous.close();
});

test('a path is given by a rule with a star at its end', async () => {
  const { admin } = services;
  await admin.ok(
    'POST',
    `${rbac}/clusterroles`,
    role('scraper', { nonResourceURLs: ['/metr*'], verbs: ['get'] }),
  );
  await admin.ok(
    'POST',
    `${rbac}/clusterrolebindings`,
    binding('scraper', 'ClusterRole scraper', 'User carl'),
  );
  await until(services.as('carl'), ['GET', '/metrics'], 200);
  expect((await services.as('carl').request('POST', '/metrics')).status).toBe(403);
});

test('a dry run needs what the request needs, and nothing is read of a body before that', async () => {
  const { admin } = services;
  await admin.ok('POST', `${rbac}/namespaces/web/roles`, role('patcher', rule('patch,update configmaps')));
  await admin.ok('POST', `${rbac}/namespaces/web/rolebindings`, binding('dora', 'Role patcher', 'Group ops'));
  const dora = services.as('dora');
  const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' } };
  await until(dora, ['PATCH', `${configMaps}/x`], 415);
  expect((await dora.post(`${configMaps}?dryRun=All`, '{ no JSON')).status).toBe(403);
  const refused =
    'configmaps "made" is forbidden: User "dora" cannot create resource "configmaps" in API group "" in the namespace "web"';
  for (const query of ['', '&dryRun=All']) {
    const answer = await dora.patch(`${configMaps}/made?fieldManager=dora${query}`, 'apply', applied);
    expect([answer.status, (answer.json() as unknown as { message: string }).message]).toEqual([
      403,
      refused,
    ]);
  }
  expect((await admin.get(`${configMaps}/made`)).status).toBe(404);
  // The same by a PUT of a kind that it creates.
  await admin.ok('POST', `${rbac}/namespaces/web/roles`, role('ranger', rule('update limitranges')));
  await admin.ok(
    'POST',
    `${rbac}/namespaces/web/rolebindings`,
    binding('ranger', 'Role ranger', 'Group ops'),
  );
  const range = '/api/v1/namespaces/web/limitranges/made';
  const body = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'made' }, spec: { limits: [] } };
  await waitFor('the update to be allowed, and the creation not', async () => {
    const answer = await dora.put(range, body);
    expect(answer.status).toBe(403);
    const { message } = answer.json() as unknown as { message: string };
    return message.includes('cannot create resource "limitranges"');
  });
  await admin.ok(
    'POST',
    `${rbac}/namespaces/web/roles`,
    role('creator', rule('create configmaps,limitranges')),
  );
  await admin.ok(
    'POST',
    `${rbac}/namespaces/web/rolebindings`,
    binding('creator', 'Role creator', 'Group ops'),
  );
  await until(dora, ['PUT', range, body], 201);
  expect((await dora.patch(`${configMaps}/made?fieldManager=dora`, 'apply', applied)).status).toBe(201);
});

test('the aggregated roles have the rules of those that they select, also of new ones', async () => {
  const { admin } = services;
  const aggregated = async (name: string): Promise<string> =>
    JSON.stringify((await admin.ok('GET', `${rbac}/clusterroles/${name}`))['rules']);
  await until(services.as('bob'), ['GET', pods], 403);
  await admin.ok(
    'POST',
    `${rbac}/namespaces/web/rolebindings`,
    binding('viewer', 'ClusterRole view', 'User bob'),
  );
  await until(services.as('bob'), ['GET', pods], 200);
  expect((await services.as('bob').get('/api/v1/namespaces/web/secrets')).status).toBe(403);
  expect(await aggregated('edit')).toContain('"secrets"');
  expect(await aggregated('admin')).toContain('"rolebindings"');
  const labels = { 'rbac.authorization.orch.io/aggregate-to-view': 'true' };
  await admin.ok('POST', `${rbac}/clusterroles`, {
    metadata: { name: 'view-secrets', labels },
    rules: [rule('list secrets')],
  });
  await until(services.as('bob', 1), ['GET', '/api/v1/namespaces/web/secrets'], 200);
  await admin.ok('DELETE', `${rbac}/clusterroles/view-secrets`);
  await until(services.as('bob', 1), ['GET', '/api/v1/namespaces/web/secrets'], 403);
});

test('reviews agree with requests', async () => {
  const { admin, as } = services;
  await admin.ok(
    'POST',
    `${rbac}/namespaces/api/rolebindings`,
    binding('eve', 'ClusterRole view', 'User eve'),
  );
  await until(as('eve'), ['GET', '/api/v1/namespaces/api/pods'], 200);
  const attributes = { namespace: 'api', verb: 'list', resource: 'pods' };
  const path = '/apis/authorization.orch.io/v1/selfsubjectaccessreviews';
  const own = await as('eve').ok('POST', path, { spec: { resourceAttributes: attributes } });
  expect(own['status']).toEqual({
    allowed: true,
    reason: 'RBAC: allowed by RoleBinding "eve/api" of ClusterRole "view" to User "eve"',
  });
  const other = await as('eve').ok('POST', path, {
    spec: { resourceAttributes: { ...attributes, verb: 'delete' } },
  });
  expect(other['status']).toMatchObject({ allowed: false });
  const rules = await as('eve').ok('POST', '/apis/authorization.orch.io/v1/selfsubjectrulesreviews', {
    spec: { namespace: 'api' },
  });
  expect(rules['status']).toMatchObject({ incomplete: false });
  expect(JSON.stringify(rules['status'])).toContain('"configmaps"');
  expect((await as('eve').post('/apis/authorization.orch.io/v1/subjectaccessreviews', {})).status).toBe(403);
});

test('anonymous requests are served on the open paths only', async () => {
  const { admin, replicas } = services;
  const anonymous = replicas[0]!.client();
  const { paths } = (await admin.ok('GET', '/')) as unknown as { paths: string[] };
  expect(paths.length).toBeGreaterThan(40);
  const isOpen = (path: string): boolean => /^\/(healthz|livez|readyz|version)$/.test(path);
  const answers = await Promise.all(paths.map(async (path) => [path, (await anonymous.get(path)).status]));
  expect(answers.filter(([, status]) => status === 200).map(([path]) => path)).toEqual(paths.filter(isOpen));
  expect(answers.filter(([, status]) => status === 403).map(([path]) => path)).toEqual(
    paths.filter((path) => !isOpen(path)),
  );
  anonymous.close();
});

test('a start completes the bootstrap policy, except objects without autoupdate', async () => {
  const { admin, replicas } = services;
  const viewer = `${rbac}/clusterroles/system:aggregate-to-view`;
  const discovery = `${rbac}/clusterrolebindings/system:discovery`;
  const monitoring = `${rbac}/clusterroles/system:monitoring`;
  const scheduler = `${rbac}/clusterrolebindings/system:kube-scheduler`;
  const { rules } = (await admin.ok('GET', viewer)) as unknown as { rules: object[] };
  const own = { apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get'] };
  await admin.patch(viewer, 'merge', { rules: [...rules.slice(1), own] });
  await admin.patch(discovery, 'merge', { subjects: [{ kind: 'User', name: 'dora' }] });
  const annotations = { 'rbac.authorization.orch.io/autoupdate': 'false' };
  await admin.patch(monitoring, 'merge', { metadata: { annotations }, rules: [] });
  await admin.ok('DELETE', `${rbac}/clusterroles/system:heapster`);
  await admin.ok('DELETE', scheduler);
  await admin.ok(
    'POST',
    `${rbac}/clusterrolebindings`,
    binding('system:kube-scheduler', 'ClusterRole view', 'User x'),
  );
  await replicas[1]!.stop();
  await replicas[1]!.start();
  const after = (await admin.ok('GET', viewer)) as unknown as { rules: object[] };
  expect(after.rules.slice(0, rules.length)).toEqual([...rules.slice(1), own]);
  expect(JSON.stringify(after.rules)).toContain('"configmaps"');
  expect((await admin.ok('GET', discovery))['subjects']).toEqual([
    { kind: 'User', name: 'dora', apiGroup: 'rbac.authorization.orch.io' },
    { kind: 'Group', name: 'system:authenticated', apiGroup: 'rbac.authorization.orch.io' },
  ]);
  expect((await admin.ok('GET', monitoring))['rules']).toEqual([]);
  expect((await admin.get(`${rbac}/clusterroles/system:heapster`)).status).toBe(200);
  expect((await admin.ok('GET', scheduler))['roleRef']).toMatchObject({ name: 'system:kube-scheduler' });
});
