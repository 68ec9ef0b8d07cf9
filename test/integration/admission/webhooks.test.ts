/** Admission webhooks over three replicas, against a real HTTPS server. */
import type { ApiObject } from '../../support/client.ts';
import { makeServicePki } from '../../support/replica.ts';
import {
  allowing,
  configMaps,
  encoded,
  patching,
  refusing,
  registration,
  rule,
  startHooked,
  type Hooked,
} from '../../support/admission-webhook.ts';

let hooked: Hooked;
let count = 0;

beforeAll(async () => {
  hooked = await startHooked();
}, 60_000);
afterAll(() => hooked[Symbol.asyncDispose]());

beforeEach(async () => {
  hooked.answers.clear();
  await hooked.configure('mutating', []);
  await hooked.configure('validating', []);
  hooked.server.calls.length = 0;
});

function configMap(more: object = {}): { metadata: { name: string }; data: Record<string, string> } {
  return { metadata: { name: `map-${String(++count)}` }, data: { said: 'so' }, ...more };
}

function add(path: string, value: unknown): object {
  return { op: 'add', path, value };
}

function dataOf(object: ApiObject): unknown {
  return object['data'];
}

test('a mutating webhook is told of the request and changes what is stored, at every replica', async () => {
  const { services, configure, hook, asked, answers } = hooked;
  await configure('mutating', [hook('change')]);
  answers.set('change', (request) => patching(request, add('/data/added', 'here')));
  const sent = configMap();
  for (const [index, replica] of services.replicas.entries()) {
    const name = `${sent.metadata.name}-${String(index)}`;
    const made = await replica.admin.ok('POST', `${configMaps}?fieldManager=me`, {
      ...sent,
      metadata: { name },
    });
    expect(dataOf(made)).toEqual({ said: 'so', added: 'here' });
    expect(dataOf(await services.admin.ok('GET', `${configMaps}/${name}`))).toEqual(dataOf(made));
  }
  const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
  const resource = { group: '', version: 'v1', resource: 'configmaps' };
  expect(hooked.server.calls[0]).toMatchObject({ path: '/change?timeout=10s', authorization: '' });
  expect(hooked.server.calls[0]?.body).toMatchObject({
    apiVersion: 'admission.orch.io/v1',
    kind: 'AdmissionReview',
  });
  expect(asked('change')[0]).toMatchObject({
    ...{ kind, resource, requestKind: kind, requestResource: resource },
    ...{ operation: 'CREATE', namespace: 'web', name: `${sent.metadata.name}-0`, dryRun: false },
    object: { apiVersion: 'v1', kind: 'ConfigMap', data: { said: 'so' } },
    oldObject: null,
    options: { kind: 'CreateOptions', apiVersion: 'meta.orch.io/v1', fieldManager: 'me' },
  });
  expect(asked('change')[0]?.userInfo.groups).toContain('system:masters');
});

test('every kind of write is judged, deletions of collections object by object', async () => {
  const { services, configure, hook, asked } = hooked;
  await configure('validating', [hook('all')]);
  const { admin } = services;
  const { metadata, data } = configMap({ metadata: { name: 'judged', labels: { of: 'judged' } } });
  const path = `${configMaps}/${metadata.name}`;
  await admin.ok('POST', configMaps, { metadata: { ...metadata, labels: { of: 'judged' } }, data });
  await admin.ok('PUT', path, { metadata, data: { said: 'again' } });
  expect((await admin.patch(path, 'merge', { data: { said: 'more' } })).status).toBe(200);
  expect((await admin.delete(path, { gracePeriodSeconds: 0 })).status).toBe(200);
  for (const name of ['one', 'two'])
    await admin.ok('POST', configMaps, { metadata: { name, labels: { of: 'many' } } });
  expect((await admin.delete(`${configMaps}?labelSelector=of%3Dmany`)).status).toBe(200);
  const told = asked('all').map(({ operation, name, object, oldObject }) =>
    [operation, name, object ? 'new' : '', oldObject ? 'old' : ''].join(' ').trim(),
  );
  expect(told.slice(0, 6)).toEqual([
    'CREATE judged new',
    'UPDATE judged new old',
    'UPDATE judged new old',
    'DELETE judged  old',
    'CREATE one new',
    'CREATE two new',
  ]);
  expect(told.slice(6).sort()).toEqual(['DELETE one  old', 'DELETE two  old']);
  expect(asked('all')[3]?.options).toMatchObject({ kind: 'DeleteOptions', gracePeriodSeconds: 0 });
  expect(asked('all')[2]?.oldObject).toMatchObject({ data: { said: 'again' } });
});

test.each([
  [undefined, 400, '', 'without explanation'],
  [{ message: 'not so' }, 400, '', ': not so'],
  [{ reason: 'Forbidden', code: 403 }, 403, 'Forbidden', ': Forbidden'],
  [{ status: 'Success', code: 200, message: 'odd' }, 400, '', ': odd'],
])('a refusal %j answers %i', async (status, code, reason, why) => {
  const { services, configure, hook, answers } = hooked;
  await configure('validating', [hook('deny')]);
  answers.set('deny', (request) => refusing(request, status));
  const sent = configMap();
  const answer = await services.admin.post(configMaps, sent);
  expect(answer.status).toBe(code);
  expect(answer.json()).toMatchObject({ kind: 'Status', status: 'Failure', code });
  const told = answer.json() as unknown as { message: string; reason?: string };
  expect([told.reason ?? '', told.message]).toEqual([
    reason,
    `admission webhook "deny.example.com" denied the request${why.startsWith(':') ? '' : ' '}${why}`,
  ]);
  expect((await services.admin.get(`${configMaps}/${sent.metadata.name}`)).status).toBe(404);
});

test.each([
  'answers 500',
  'gives no review',
  'answers another question',
  'is late',
  'is of another authority',
])('a webhook that %s refuses, or is passed over, as its policy says', async (problem) => {
  const { services, configure, hook, answers, server } = hooked;
  await using other = await makeServicePki();
  const isLate = problem === 'is late';
  answers.set('invalid', async (request) => {
    if (problem === 'answers 500') return { status: 500, body: 'broken' };
    if (problem === 'gives no review') return { body: 'what?' };
    if (problem === 'answers another question') return allowing({ ...request, uid: 'other' });
    return isLate ? new Promise(() => undefined) : allowing(request);
  });
  const caBundle = Buffer.from(other.authority.ca).toString('base64');
  const foreign = { url: `${server.url}/invalid`, caBundle };
  const more = {
    timeoutSeconds: isLate ? 1 : 5,
    ...(problem === 'is of another authority' && { clientConfig: foreign }),
  };
  for (const kind of ['mutating', 'validating'] as const) {
    await configure(kind, [hook('invalid', { ...more, failurePolicy: 'Fail' })]);
    const refused = await services.admin.post(configMaps, configMap());
    expect(refused.status).toBe(500);
    expect(refused.json()).toMatchObject({ reason: 'InternalError' });
    const { message } = refused.json() as unknown as { message: string };
    const known = /^Internal error occurred: failed calling webhook "invalid\.example\.com": .+/;
    expect(message).toMatch(known);
    if (isLate) expect(refused.text).toContain('context deadline exceeded');
    await configure(kind, [hook('invalid', { ...more, failurePolicy: 'Ignore' })]);
    await services.admin.ok('POST', configMaps, configMap());
    await configure(kind, []);
  }
});

test.each([
  ['is no JSON', Buffer.from('{').toString('base64'), 500],
  ['cannot be applied', encoded([{ op: 'remove', path: '/nothing/there' }]), 500],
  ['leaves another kind', encoded([add('/kind', 'Secret')]), 500],
  ['leaves fields that do not fit', encoded([add('/data', 'text')]), 500],
  ['leads to another namespace', encoded([add('/metadata/namespace', 'api')]), 400],
  ['leaves an invalid object', encoded([add('/data/a b', 'x')]), 422],
])('a patch that %s is refused, whatever the failure policy', async (_name, patch, status) => {
  const { services, configure, hook, answers } = hooked;
  await configure('mutating', [hook('patch', { failurePolicy: 'Ignore' })]);
  answers.set('patch', (request) => allowing(request, { patchType: 'JSONPatch', patch }));
  const sent = configMap();
  expect((await services.admin.post(configMaps, sent)).status).toBe(status);
  expect((await services.admin.get(`${configMaps}/${sent.metadata.name}`)).status).toBe(404);
});

test('what a patch leaves gets defaults, and loses what the kind does not know', async () => {
  const { services, configure, hook, answers } = hooked;
  await configure('mutating', [hook('sidecar', { rules: [rule('pods', { operations: ['CREATE'] })] })]);
  answers.set('sidecar', (request) =>
    patching(request, add('/spec/containers/-', { name: 'side', image: 'side:1', unknown: 1 })),
  );
  const spec = { containers: [{ name: 'main', image: 'main:1' }], automountServiceAccountToken: false };
  await services.admin.request('POST', '/api/v1/namespaces/web/serviceaccounts', {
    metadata: { name: 'default' },
  });
  const made = await services.admin.ok('POST', '/api/v1/namespaces/web/pods', {
    metadata: { name: 'sided' },
    spec,
  });
  const { containers } = made['spec'] as { containers: Record<string, unknown>[] };
  expect(containers[1]).toMatchObject({ name: 'side', imagePullPolicy: 'IfNotPresent' });
  expect(containers[1]).not.toHaveProperty('unknown');
});

test('a dry run asks only those who bear it', async () => {
  const { services, configure, hook, asked } = hooked;
  await configure('validating', [hook('dry', { sideEffects: 'NoneOnDryRun' })]);
  await services.admin.ok('POST', `${configMaps}?dryRun=All`, configMap());
  expect(asked('dry')[0]).toMatchObject({ dryRun: true, options: { dryRun: ['All'] } });
  await configure('validating', []);
  // Only the older version lets webhooks say nothing of what they do.
  await configure('validating', [hook('wet', { sideEffects: 'Some' })], 'v1beta1');
  const refused = await services.admin.post(`${configMaps}?dryRun=All`, configMap());
  expect(refused.status).toBe(400);
  expect(refused.json()).toMatchObject({
    reason: 'BadRequest',
    message: 'admission webhook "wet.example.com" does not support dry run',
  });
  expect(asked('wet')).toEqual([]);
  await services.admin.ok('POST', configMaps, configMap());
  expect(asked('wet')).toHaveLength(1);
});

test('who asks for it is called again once after changes of others, who are not', async () => {
  const { services, configure, hook, asked, answers } = hooked;
  await configure('mutating', [
    hook('first', { reinvocationPolicy: 'IfNeeded' }),
    hook('second', { reinvocationPolicy: 'Never' }),
    hook('third', { reinvocationPolicy: 'IfNeeded' }),
  ]);
  answers.set('second', (request) => patching(request, add('/data/second', 'yes')));
  await services.admin.ok('POST', configMaps, configMap());
  expect(['first', 'second', 'third'].map((name) => asked(name).length)).toEqual([2, 1, 1]);
  expect(asked('first')[1]?.object).toMatchObject({ data: { second: 'yes' } });
  // A webhook is never called again for its own change.
  answers.set('third', (request) => patching(request, add('/data/third', 'yes')));
  hooked.server.calls.length = 0;
  await services.admin.ok('POST', configMaps, configMap());
  expect(['first', 'second', 'third'].map((name) => asked(name).length)).toEqual([2, 1, 1]);
});

test('selectors of objects and namespaces, and scopes, pick what is asked about', async () => {
  const { services, configure, hook, asked } = hooked;
  const { admin } = services;
  await admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'marked', labels: { mark: 'on' } } });
  const selector = { matchLabels: { mark: 'on' } };
  const rules = [rule('configmaps'), rule('namespaces')];
  await configure('validating', [
    hook('by-object', { objectSelector: selector }),
    hook('by-namespace', { rules, namespaceSelector: selector }),
    hook('of-cluster', { rules: [rule('*', { scope: 'Cluster' })] }),
  ]);
  const told = (): number[] => ['by-object', 'by-namespace', 'of-cluster'].map((name) => asked(name).length);
  const plain = configMap();
  await admin.ok('POST', configMaps, plain);
  expect(told()).toEqual([0, 0, 0]);
  const path = `${configMaps}/${plain.metadata.name}`;
  await admin.patch(path, 'merge', { metadata: { labels: { mark: 'on' } } });
  await admin.patch(path, 'merge', { metadata: { labels: { mark: null } } });
  expect(told()).toEqual([2, 0, 0]);
  await admin.ok('POST', '/api/v1/namespaces/marked/configmaps', configMap());
  expect(told()).toEqual([2, 1, 0]);
  await admin.patch('/api/v1/namespaces/marked', 'merge', { metadata: { labels: { mark: 'off' } } });
  expect(told()).toEqual([2, 1, 1]);
  await admin.patch('/api/v1/namespaces/marked', 'merge', { metadata: { labels: { mark: 'on' } } });
  expect(told()).toEqual([2, 2, 2]);
  expect(asked('of-cluster')[1]).toMatchObject({ name: 'marked', namespace: 'marked' });
});

test('Equivalent takes other versions and shows the one that the rule names; Exact does not', async () => {
  const { services, configure, hook, asked, answers } = hooked;
  const rules = [
    { apiGroups: ['networking.orch.io'], apiVersions: ['v1'], resources: ['ingresses'], operations: ['*'] },
  ];
  await configure('mutating', [
    hook('exact', { rules, matchPolicy: 'Exact' }),
    hook('equivalent', { rules, matchPolicy: 'Equivalent' }),
  ]);
  answers.set('equivalent', (request) =>
    patching(request, { op: 'replace', path: '/spec/defaultBackend/service/name', value: 'other' }),
  );
  const made = await services.admin.ok('POST', '/apis/networking.orch.io/v1beta1/namespaces/web/ingresses', {
    metadata: { name: 'in' },
    spec: { backend: { serviceName: 'svc', servicePort: 80 } },
  });
  expect(made['spec']).toMatchObject({ backend: { serviceName: 'other', servicePort: 80 } });
  expect(asked('exact')).toEqual([]);
  expect(asked('equivalent')[0]).toMatchObject({
    kind: { version: 'v1' },
    resource: { version: 'v1' },
    requestKind: { version: 'v1beta1' },
    requestResource: { version: 'v1beta1' },
    object: { apiVersion: 'networking.orch.io/v1', spec: { defaultBackend: { service: { name: 'svc' } } } },
  });
});

test('warnings reach the client; metrics count calls and refusals', async () => {
  const { services, configure, hook, answers } = hooked;
  await configure('mutating', [hook('warn')]);
  await configure('validating', [hook('deny-all')]);
  answers.set('warn', (request) =>
    allowing(request, { warnings: ['old habits'], auditAnnotations: { why: 'x' } }),
  );
  answers.set('deny-all', (request) => refusing(request, { code: 403, message: 'no' }));
  const answer = await services.admin.post(configMaps, configMap());
  expect([answer.status, answer.headers['warning']]).toEqual([403, '299 - "old habits"']);
  const metrics = (await services.admin.get('/metrics')).text;
  for (const figure of [
    'rejection_count{name="deny-all.example.com",type="validating",operation="CREATE",error_type="no_error",rejection_code="403"} 1',
    'admission_duration_seconds_count{name="warn.example.com",type="admit",operation="CREATE",rejected="false"} 1',
  ])
    expect(metrics).toContain(`apiserver_admission_webhook_${figure}`);
  expect(metrics).toMatch(/^rest_client_requests_total\{code="200",method="POST",host="[^"]+:\d+"\} [1-9]/m);
});

test('webhooks that read v1beta1 alone are asked and understood so', async () => {
  const { services, configure, hook, answers, server } = hooked;
  await configure('mutating', [hook('old', { admissionReviewVersions: ['v1beta1'] })]);
  // Neither uid nor type of the patch were needed then.
  answers.set('old', () => ({
    body: { response: { allowed: true, patch: encoded([add('/data/old', 'yes')]) } },
  }));
  const made = await services.admin.ok('POST', configMaps, configMap());
  expect(dataOf(made)).toMatchObject({ old: 'yes' });
  expect(server.calls[0]?.body['apiVersion']).toBe('admission.orch.io/v1beta1');
});

test('a validating webhook may not patch', async () => {
  const { services, configure, hook, answers } = hooked;
  await configure('validating', [hook('sly')]);
  answers.set('sly', (request) => patching(request, add('/data/x', 'y')));
  const answer = await services.admin.post(configMaps, configMap());
  expect([answer.status, answer.text]).toEqual([
    500,
    expect.stringContaining('validating webhook may not return response.patch'),
  ]);
});

test('a service is called by its name in the cluster, wherever it is', async () => {
  const { services, configure, hook, caBundle, server, asked } = hooked;
  const { admin } = services;
  await admin.ok('POST', '/api/v1/namespaces/web/services', {
    metadata: { name: 'hook' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  for (const replica of services.replicas) await replica.admin.get('/api/v1/namespaces/web/services/hook');
  const port = Number(new URL(server.url).port);
  const service = { namespace: 'web', name: 'hook', path: '/by-name', port };
  await configure('validating', [hook('service', { clientConfig: { service, caBundle } })]);
  await admin.ok('POST', configMaps, configMap());
  expect(asked('by-name')).toHaveLength(1);
});

test('nobody is asked about the configurations themselves', async () => {
  const { services, configure, hook, answers, asked } = hooked;
  const rules = [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] }];
  answers.set('no', (request) => refusing(request));
  await configure('validating', [hook('no', { rules, failurePolicy: 'Fail' })]);
  expect((await services.admin.post(configMaps, configMap())).status).toBe(400);
  const path = `${registration}/validatingwebhookconfigurations/test`;
  expect((await services.admin.patch(path, 'merge', { metadata: { labels: { a: 'b' } } })).status).toBe(200);
  expect((await services.admin.delete(path)).status).toBe(200);
  // It is asked about what controllers write meanwhile.
  const told = asked('no').map(({ resource }) => (resource as { resource: string }).resource);
  expect(told).not.toContain('validatingwebhookconfigurations');
});

test('actions and connections are judged as what they are', async () => {
  const { services, configure, hook, asked } = hooked;
  const { admin } = services;
  const accounts = '/api/v1/namespaces/web/serviceaccounts';
  await admin.request('POST', accounts, { metadata: { name: 'default' } });
  const pods = '/api/v1/namespaces/web/pods';
  const spec = {
    ...{ automountServiceAccountToken: false, terminationGracePeriodSeconds: 0 },
    containers: [{ name: 'main', image: 'main:1' }],
  };
  await admin.ok('POST', pods, { metadata: { name: 'acted' }, spec });
  const subresources = ['pods/binding', 'pods/exec', 'pods/eviction'];
  await configure('validating', [hook('acts', { rules: subresources.map((name) => rule(name)) })]);
  const target = { kind: 'Node', name: 'n1' };
  await admin.ok('POST', `${pods}/acted/binding`, { metadata: { name: 'acted' }, target });
  expect((await admin.post(`${pods}/acted/exec?command=ls&container=main`, '')).status).toBe(404);
  await admin.ok('POST', `${pods}/acted/eviction`, {
    ...{ apiVersion: 'policy/v1beta1', kind: 'Eviction', metadata: { name: 'acted' } },
  });
  const told = asked('acts').map(({ operation, subResource, kind, object }) => ({
    ...{ operation, subResource, kind: (kind as { kind: string }).kind, own: object?.['kind'] },
  }));
  expect(told).toEqual([
    { operation: 'CREATE', subResource: 'binding', kind: 'Binding', own: 'Binding' },
    { operation: 'CONNECT', subResource: 'exec', kind: 'PodExecOptions', own: 'PodExecOptions' },
    { operation: 'CREATE', subResource: 'eviction', kind: 'Eviction', own: 'Eviction' },
  ]);
  expect(asked('acts')[1]).toMatchObject({ name: 'acted', object: { command: ['ls'], container: 'main' } });
});

test('a webhook is asked about what the ones before made of the object', async () => {
  const { services, configure, hook, asked, answers } = hooked;
  await configure('mutating', [
    hook('labels'),
    hook('labelled', { objectSelector: { matchLabels: { mark: 'on' } } }),
  ]);
  answers.set('labels', (request) => patching(request, add('/metadata/labels', { mark: 'on' })));
  await services.admin.ok('POST', configMaps, configMap());
  expect(asked('labelled').map(({ object }) => object)).toMatchObject([
    { metadata: { labels: { mark: 'on' } } },
  ]);
});
