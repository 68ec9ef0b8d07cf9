/** Writes of more than 64 KiB are carried out beside the serving thread, and answered as all others are. */
import {
  binding,
  role,
  rule,
  rbac,
  startServices,
  until,
  type Services,
} from '../../support/authorized-server.ts';
import type { ApiObject } from '../../support/client.ts';
import { waitFor } from '../../support/wait-for.ts';

const configMaps = '/api/v1/namespaces/web/configmaps';
const padding = 'x'.repeat(100_000);
let services: Services;

beforeAll(async () => {
  services = await startServices(1);
}, 60_000);
afterAll(() => services[Symbol.asyncDispose]());

function large(name: string, data: Record<string, string> = {}): object {
  return { metadata: { name }, data: { padding, ...data } };
}

function dataOf(object: ApiObject): Record<string, string> {
  return object['data'] as Record<string, string>;
}

test('create, get, replace and delete', async () => {
  const { admin } = services;
  const made = await admin.ok('POST', configMaps, large('crud'));
  expect(dataOf(made)).toEqual({ padding });
  expect(await admin.ok('GET', `${configMaps}/crud`)).toEqual(made);
  expect((await admin.post(configMaps, large('crud'))).status).toBe(409);
  const next = await admin.ok('PUT', `${configMaps}/crud`, { ...made, data: { padding, more: 'yes' } });
  expect(dataOf(next)).toEqual({ padding, more: 'yes' });
  expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(Number(made.metadata.resourceVersion));
  expect((await admin.put(`${configMaps}/crud`, made)).status).toBe(409);
  expect(await admin.ok('DELETE', `${configMaps}/crud`)).toMatchObject({ kind: 'Status', status: 'Success' });
  expect((await admin.get(`${configMaps}/crud`)).status).toBe(404);
  expect((await admin.put(`${configMaps}/crud`, made)).status).toBe(404);
});

test('tokens of a large service account', async () => {
  const { admin } = services;
  const accounts = '/api/v1/namespaces/web/serviceaccounts';
  await admin.ok('POST', accounts, { metadata: { name: 'large', annotations: { padding } } });
  const token = await admin.ok('POST', `${accounts}/large/token`, { spec: { expirationSeconds: 600 } });
  expect(token).toMatchObject({ kind: 'TokenRequest', status: { token: expect.any(String) as string } });
});

test('small patches of a large object, of every kind', async () => {
  const { admin } = services;
  await admin.ok('POST', configMaps, large('patched'));
  const path = `${configMaps}/patched`;
  const operations = [{ op: 'add', path: '/data/json', value: '1' }];
  for (const [kind, body] of [
    ['merge', { data: { merge: '1' } }],
    ['strategic-merge', { data: { strategic: '1' } }],
    ['json', operations],
  ] as const)
    expect((await admin.patch(path, kind, JSON.stringify(body))).status).toBe(200);
  const object = await admin.ok('GET', path);
  expect(dataOf(object)).toEqual({ padding, merge: '1', strategic: '1', json: '1' });
  expect((await admin.patch(path, 'json', '[{"op":"test","path":"/data/json","value":"2"}]')).status).toBe(
    422,
  );
  expect((await admin.patch(path, 'merge', '{')).status).toBe(400);
});

test('a small patch that copies much, and a body of many short members', async () => {
  const { admin } = services;
  const annotations = { text: 'x'.repeat(10_000) };
  await admin.ok('POST', configMaps, { metadata: { name: 'copied', annotations } });
  const operations = Array.from({ length: 9 }, (_, i) => ({
    ...{ op: 'copy', from: '/metadata/annotations/text', path: `/metadata/annotations/${String(i)}` },
  }));
  const patched = await admin.patch(`${configMaps}/copied`, 'json', JSON.stringify(operations));
  expect(patched.status).toBe(200);
  const object = await admin.ok('GET', `${configMaps}/copied`);
  expect(Object.values(object.metadata['annotations'] as object)).toEqual(Array(10).fill(annotations.text));
  const data = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [String(i), '']));
  expect(dataOf(await admin.ok('POST', configMaps, { metadata: { name: 'short' }, data }))).toEqual(data);
});

test('server-side apply: creation, conflict, force, YAML', async () => {
  const { admin } = services;
  const path = `${configMaps}/applied`;
  const body = { apiVersion: 'v1', kind: 'ConfigMap', ...large('applied', { a: '1' }) };
  expect((await admin.patch(`${path}?fieldManager=one`, 'apply', JSON.stringify(body))).status).toBe(201);
  const yaml = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\ndata:\n  a: "2"\n  padding: ${padding}\n`;
  const refused = await admin.patch(`${path}?fieldManager=two`, 'apply', yaml);
  expect(refused.status).toBe(409);
  expect(refused.text).toContain('conflict with \\"one\\"');
  expect((await admin.patch(`${path}?fieldManager=two&force=true`, 'apply', yaml)).status).toBe(200);
  expect(dataOf(await admin.ok('GET', path))).toEqual({ padding, a: '2' });
});

test('dry runs, field validation and warnings', async () => {
  const { admin } = services;
  const odd = { ...large('odd'), strange: true };
  expect((await admin.post(`${configMaps}?dryRun=All`, large('dry'))).status).toBe(201);
  expect((await admin.get(`${configMaps}/dry`)).status).toBe(404);
  const strict = await admin.post(`${configMaps}?fieldValidation=Strict`, odd);
  expect(strict.status).toBe(400);
  expect(strict.text).toContain('unknown field');
  const warned = await admin.post(`${configMaps}?fieldValidation=Warn`, odd);
  expect(warned.status).toBe(201);
  expect(warned.headers.warning).toContain('unknown field \\"strange\\"');
});

test('an update cannot create without the verb create', async () => {
  const { admin, as } = services;
  await admin.ok(
    'POST',
    `${rbac}/clusterroles`,
    role('update-leases', rule('get,update,patch leases', ['coordination.orch.io'])),
  );
  await admin.ok(
    'POST',
    `${rbac}/clusterrolebindings`,
    binding('update-leases', 'ClusterRole update-leases', 'User bob'),
  );
  const leases = '/apis/coordination.orch.io/v1/namespaces/web/leases';
  await until(as('bob'), ['GET', `${leases}/none`], 404);
  const lease = {
    apiVersion: 'coordination.orch.io/v1',
    kind: 'Lease',
    metadata: { name: 'new', annotations: { padding } },
  };
  const applied = await as('bob').patch(`${leases}/new?fieldManager=bob`, 'apply', JSON.stringify(lease));
  expect(applied.status).toBe(403);
  expect((await admin.get(`${leases}/new`)).status).toBe(404);
  expect((await admin.patch(`${leases}/new?fieldManager=bob`, 'apply', JSON.stringify(lease))).status).toBe(
    201,
  );
});

test('no user can grant more than they have', async () => {
  const { admin, as } = services;
  await admin.ok(
    'POST',
    `${rbac}/clusterroles`,
    role('make-roles', rule('create,get clusterroles', ['rbac.authorization.orch.io'])),
  );
  await admin.ok(
    'POST',
    `${rbac}/clusterrolebindings`,
    binding('make-roles', 'ClusterRole make-roles', 'User carl'),
  );
  const path = `${rbac}/clusterroles`;
  await until(as('carl'), ['GET', `${path}/none`], 404);
  const resourceNames = Array.from({ length: 8_000 }, (_unused, i) => `secret-${String(i)}`);
  const greedy = {
    metadata: { name: 'greedy' },
    rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames }],
  };
  expect((await as('carl').post(path, greedy)).status).toBe(403);
  expect((await admin.post(path, greedy)).status).toBe(201);
});

test('custom resources, also those defined a moment ago', async () => {
  const { admin } = services;
  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: { n: { type: 'integer', default: 3 }, padding: { type: 'string' } },
      },
    },
  };
  const versions = [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: schema },
    },
  ];
  const names = { kind: 'Thing', plural: 'things' };
  const definition = {
    metadata: { name: 'things.large.test' },
    spec: { group: 'large.test', names, scope: 'Namespaced', versions },
  };
  await admin.ok('POST', '/apis/apiextensions.orch.io/v1/customresourcedefinitions', definition);
  const things = '/apis/large.test/v1/namespaces/web/things';
  await waitFor('the resource', async () => (await admin.get(things)).status === 200);
  const thing = { apiVersion: 'large.test/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { padding } };
  expect((await admin.ok('POST', things, thing))['spec']).toEqual({ padding, n: 3 });
  const wrong = { ...thing, metadata: { name: 'b' }, spec: { padding, n: 'three' } };
  expect((await admin.post(things, wrong)).status).toBe(422);
});

/** Each of its million containers would get a dozen defaults. */
const exploding = `{"metadata":{"name":"exploding"},"spec":{"containers":[${'{},'.repeat(999_999)}{}]}}`;

test('a body that needs too much memory is refused, and takes nothing with it', async () => {
  const { admin, as, replicas } = services;
  await admin.ok('POST', `${rbac}/clusterroles`, role('make-maps', rule('create configmaps')));
  await admin.ok(
    'POST',
    `${rbac}/clusterrolebindings`,
    binding('make-maps', 'ClusterRole make-maps', 'User eve'),
  );
  await until(as('eve'), ['POST', `${configMaps}?dryRun=All`, { metadata: { name: 'probe' } }], 201);
  const pid = replicas[0]?.pid;
  const attack = admin.post('/api/v1/namespaces/web/pods', exploding);
  for (let i = 0; i < 5; i++)
    expect((await as('eve').post(configMaps, large(`beside-${String(i)}`))).status).toBe(201);
  const answer = await attack;
  expect([413, 422]).toContain(answer.status);
  expect(answer.body.length).toBeLessThan(80_000);
  expect(replicas[0]?.pid).toBe(pid);
  expect((await admin.get('/readyz')).status).toBe(200);
}, 120_000);

test('the metrics of the service count what was done there', async () => {
  const text = (await services.admin.get('/metrics')).text;
  expect(text).toMatch(/^apiserver_current_inflight_request_bytes 0$/m);
  expect(text).toMatch(/^apiserver_request_total\{verb="POST"/m);
});
