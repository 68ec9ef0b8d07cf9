/** Rules of one version of a kind, beside those of all: told together, of what admission made of the object. */
import type { ApiClient, Answer } from '../../support/client.ts';
import { patching, registration, rule, startHooked, type Hooked } from '../../support/admission-webhook.ts';

let hooked: Hooked;
let admin: ApiClient;

const ingresses = (version: string): string => `/apis/networking.orch.io/${version}/namespaces/web/ingresses`;
const autoscalers = (version: string): string =>
  `/apis/autoscaling/${version}/namespaces/web/horizontalpodautoscalers`;

beforeAll(async () => {
  hooked = await startHooked();
  ({ admin } = hooked.services);
}, 60_000);
afterEach(() => hooked.configure('mutating', []));
afterAll(() => hooked[Symbol.asyncDispose]());

/** `<field> <reason>` of every error. */
function errorsOf(answer: Answer): string[] {
  const { code, details } = answer.json() as unknown as {
    code: number;
    details: { causes: { field: string; reason: string }[] };
  };
  expect(code).toBe(422);
  return details.causes.map(({ field, reason }) => `${field} ${reason}`).sort();
}

const backend = { service: { name: 'web', port: { number: 80 } } };
const bare = { path: '/', backend };

function ingress(name: string, ...paths: object[]): object {
  return { metadata: { name }, spec: { rules: [{ host: 'a.example.com', http: { paths } }] } };
}

function autoscaler(name: string, metrics: object[], more: object = {}): object {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
  return { metadata: { name }, spec: { scaleTargetRef, maxReplicas: 3, metrics, ...more } };
}

const cpu = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 5 } },
};
const loose = { type: 'Pods', pods: { metric: { name: 'hits' }, target: { type: 'Else' } } };
const looseErrors = [
  'spec.metrics[1].pods.target.averageValue FieldValueRequired',
  'spec.metrics[1].pods.target.type FieldValueNotSupported',
];

const at = 'spec.rules[0].http.paths';

test('of the version that is stored', async () => {
  const loud = { ...hooked.hook('loud'), sideEffects: undefined, timeoutSeconds: 99 };
  const invalid = { metadata: { name: 'UPPER' }, webhooks: [loud] };
  expect(errorsOf(await admin.post(`${registration}/validatingwebhookconfigurations`, invalid))).toEqual([
    'metadata.name FieldValueInvalid',
    'webhooks[0].sideEffects FieldValueRequired',
    'webhooks[0].timeoutSeconds FieldValueInvalid',
  ]);
});

test('of another version, at the fields that were sent', async () => {
  const invalid = autoscaler('UPPER', [cpu, loose], { maxReplicas: 0 });
  expect(errorsOf(await admin.post(autoscalers('v2beta2'), invalid))).toEqual(
    [
      'metadata.name FieldValueInvalid',
      'spec.maxReplicas FieldValueInvalid',
      // The default for what was left out is one.
      'spec.maxReplicas FieldValueInvalid',
      ...looseErrors,
    ].sort(),
  );
});

test('of an update, and of a patch', async () => {
  await admin.ok('POST', autoscalers('v2beta2'), autoscaler('held', [cpu]));
  const path = `${autoscalers('v2beta2')}/held`;
  const changed = autoscaler('held', [cpu, loose]);
  expect(errorsOf(await admin.put(path, changed))).toEqual(looseErrors);
  const { spec } = changed as { spec: object };
  expect(errorsOf(await admin.patch(path, 'merge', { metadata: { labels: { a: '$' } }, spec }))).toEqual([
    'metadata.labels FieldValueInvalid',
    ...looseErrors,
  ]);
});

test('a status says nothing of metrics, and they nothing of it, whatever carries them', async () => {
  const made = await admin.ok('POST', autoscalers('v2beta2'), autoscaler('kept', [cpu]));
  const path = `${autoscalers('v2beta2')}/kept`;
  const { spec } = autoscaler('kept', [cpu, loose]) as { spec: object };
  const conditions = [{ type: 'AbleToScale', status: 'True' }];
  const status = { currentReplicas: 1, desiredReplicas: 2, conditions, currentMetrics: null };
  const told = await admin.put(`${path}/status`, { metadata: { name: 'kept' }, spec, status });
  expect(told.json()).toMatchObject({ spec: made['spec'], status: { conditions, desiredReplicas: 2 } });
  const { spec: more } = autoscaler('kept', [cpu], { behavior: { scaleDown: { selectPolicy: 'Max' } } }) as {
    spec: object;
  };
  const changed = await admin.put(path, { metadata: { name: 'kept' }, spec: more, status: {} });
  expect(changed.json()).toMatchObject({
    spec: { behavior: { scaleDown: { selectPolicy: 'Max' } } },
    status: { conditions, desiredReplicas: 2 },
  });
  const fresh = await admin.post(autoscalers('v2beta2'), { ...autoscaler('fresh', [cpu]), status });
  expect(fresh.json()['status']).toMatchObject({ conditions: null });
});

test('v1 changes what v1beta1 stored, errors and all, but puts none into what has none', async () => {
  const beta = registration.replace(/v1$/, 'v1beta1');
  const loud = { ...hooked.hook('loud'), sideEffects: 'Some' };
  const quiet = hooked.hook('loud');
  const path = `${registration}/validatingwebhookconfigurations`;
  const old = { metadata: { name: 'old' }, webhooks: [loud, loud] };
  await admin.ok('POST', `${beta}/validatingwebhookconfigurations`, old);
  const labelled = await admin.patch(`${path}/old`, 'merge', { metadata: { labels: { a: 'b' } } });
  expect(labelled.json()).toMatchObject({ metadata: { labels: { a: 'b' } }, webhooks: old.webhooks });
  const mended = await admin.patch(`${path}/old`, 'merge', { webhooks: [quiet] });
  expect(mended.status).toBe(200);
  expect(errorsOf(await admin.patch(`${path}/old`, 'merge', { webhooks: [loud, quiet] }))).toEqual([
    'webhooks[0].sideEffects FieldValueNotSupported',
    'webhooks[1].name FieldValueDuplicate',
  ]);
  const silent = { ...loud, name: 'silent.example.com', admissionReviewVersions: [], sideEffects: undefined };
  const meant = [{ admissionReviewVersions: ['v1beta1'], sideEffects: 'Unknown' }];
  const made = await admin.ok('POST', `${beta}/validatingwebhookconfigurations`, {
    metadata: { name: 'silent' },
    webhooks: [silent],
  });
  expect(made).toMatchObject({ webhooks: meant });
  for (const name of ['old', 'silent']) await admin.ok('DELETE', `${path}/${name}`);
});

test('what a version shows of nothing changes nothing when it comes back', async () => {
  await admin.ok('POST', autoscalers('v2beta2'), autoscaler('echoed', [cpu]));
  for (const version of ['v2beta1', 'v2beta2']) {
    const path = `${autoscalers(version)}/echoed`;
    const shown = await admin.ok('GET', path);
    expect(shown['status']).toMatchObject({ currentMetrics: null, conditions: null });
    expect(await admin.ok('PUT', path, shown)).toEqual(shown);
    expect(await admin.ok('PUT', `${path}/status`, shown)).toEqual(shown);
  }
});

describe('after mutating admission', () => {
  test('what it mended is no error', async () => {
    const rules = [rule('ingresses', { apiGroups: ['networking.orch.io'] })];
    await hooked.configure('mutating', [hooked.hook('mend', { rules })]);
    hooked.answers.set('mend', (asked) =>
      patching(asked, { op: 'add', path: '/spec/rules/0/http/paths/0/pathType', value: 'Exact' }),
    );
    const made = await admin.post(ingresses('v1'), ingress('mended', bare));
    expect(made.status).toBe(201);
    expect(errorsOf(await admin.post(ingresses('v1'), ingress('half', bare, bare)))).toEqual([
      `${at}[1].pathType FieldValueRequired`,
    ]);
  });

  test('what it broke is one, in whatever version', async () => {
    const rules = [rule('horizontalpodautoscalers', { apiGroups: ['autoscaling'], apiVersions: ['*'] })];
    await hooked.configure('mutating', [hooked.hook('break', { rules })]);
    hooked.answers.set('break', (asked) =>
      patching(asked, { op: 'add', path: '/spec/metrics', value: [{ type: 'Pods' }] }),
    );
    const answer = await admin.post(autoscalers('v2beta2'), autoscaler('broken', [cpu]));
    expect(errorsOf(answer)).toEqual(['spec.metrics[0].pods FieldValueRequired']);
  });
});
