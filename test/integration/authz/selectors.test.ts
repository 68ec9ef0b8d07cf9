/** Selectors at the newest release, from requests, reviews and policies to an authorization webhook (KEP-4601). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServices, type Services } from '../../support/authorized-server.ts';
import { makeServicePki } from '../../support/replica.ts';
import { waitFor } from '../../support/wait-for.ts';
import { WebhookServer } from '../../support/webhook-server.ts';

const owned = new AsyncDisposableStack();
let services: Services;
let hook: WebhookServer;

interface Attributes {
  readonly fieldSelector?: { readonly requirements: readonly { readonly key: string }[] };
}

const attributesOf = (body: object): Attributes =>
  (body as { spec: { resourceAttributes?: Attributes } }).spec.resourceAttributes ?? {};

beforeAll(async () => {
  const pki = owned.use(await makeServicePki());
  hook = owned.use(await WebhookServer.start(pki.server, pki.authority));
  // It allows what is about one node.
  hook.answer = ({ body }) => {
    const requirements = attributesOf(body).fieldSelector?.requirements ?? [];
    return {
      body: { ...body, status: { allowed: requirements.some(({ key }) => key === 'spec.nodeName') } },
    };
  };
  const config = join(pki.folder, 'webhook.kubeconfig');
  const cluster = { server: hook.url, 'certificate-authority': pki.authority.caFile };
  writeFileSync(
    config,
    JSON.stringify({
      clusters: [{ name: 'hook', cluster }],
      users: [{ name: 'api', user: {} }],
      contexts: [{ name: 'it', context: { cluster: 'hook', user: 'api' } }],
      'current-context': 'it',
    }),
  );
  services = owned.use(
    await startServices(1, [
      '--emulated-release=1.36',
      '--authorization-mode=RBAC,Webhook',
      `--authorization-webhook-config-file=${config}`,
      '--authorization-webhook-version=v1',
      '--controllers=namespace',
    ]),
  );
}, 60_000);
afterAll(() => owned.disposeAsync());

test('a list that is narrowed is allowed, and a wide one is not', async () => {
  const ann = services.as('ann');
  expect((await ann.get('/api/v1/pods?fieldSelector=spec.nodeName%3Da')).status).toBe(200);
  for (const path of ['/api/v1/pods', '/api/v1/pods?fieldSelector=status.phase%3DRunning'])
    expect([path, (await ann.get(path)).status]).toEqual([path, 403]);
});

async function review(resource: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await services.admin.request('POST', '/apis/authorization.orch.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.orch.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user: 'ann', resourceAttributes: { verb: 'list', resource: 'pods', ...resource } },
  });
  return { status: answer.status, body: answer.json() as unknown as Record<string, unknown> };
}

test('reviews ask with selectors, as text or as requirements', async () => {
  const [key, values] = ['spec.nodeName', ['a']];
  const narrow = { requirements: [{ key, operator: 'In', values }] };
  expect((await review({ fieldSelector: narrow })).body['status']).toEqual({ allowed: true });
  const raw = { rawSelector: 'spec.nodeName=a' };
  expect((await review({ fieldSelector: raw })).body['status']).toEqual({ allowed: true });
  expect((await review({})).body['status']).toEqual({ allowed: false });
  expect((await review({ fieldSelector: { rawSelector: 'what' } })).body['status']).toEqual({
    allowed: false,
    evaluationError: 'spec.resourceAttributes.fieldSelector ignored due to parse error',
  });
});

test('a selector of a review is one thing, and complete', async () => {
  const requirement = { key: 'a', operator: 'In', values: ['b'] };
  const causes = async (resource: object): Promise<unknown> => {
    const { status, body } = await review(resource);
    const { details } = body as { details?: { causes?: { reason: string; field: string }[] } };
    return [status, ...(details?.causes ?? []).map(({ reason, field }) => `${reason} ${field}`)];
  };
  const at = 'spec.resourceAttributes';
  expect(await causes({ fieldSelector: { rawSelector: 'a=b', requirements: [requirement] } })).toEqual([
    ...[422, `FieldValueInvalid ${at}.fieldSelector.rawSelector`],
  ]);
  expect(await causes({ labelSelector: {} })).toEqual([
    ...[422, `FieldValueRequired ${at}.labelSelector.requirements`],
  ]);
  expect(await causes({ labelSelector: { requirements: [{ operator: 'In' }] } })).toEqual([
    ...[422, `FieldValueRequired ${at}.labelSelector.requirements[0].key`],
    `FieldValueRequired ${at}.labelSelector.requirements[0].values`,
  ]);
  expect(await causes({ labelSelector: { requirements: [{ ...requirement, operator: 'Exists' }] } })).toEqual(
    [422, `FieldValueForbidden ${at}.labelSelector.requirements[0].values`],
  );
});

test('expressions of policies ask with selectors', async () => {
  const policies = '/apis/admissionregistration.orch.io/v1';
  const check = "authorizer.group('').resource('pods')";
  await services.admin.ok('POST', `${policies}/validatingadmissionpolicies`, {
    metadata: { name: 'narrow' },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['namespaces'] },
        ],
      },
      validations: [
        {
          expression: `${check}.fieldSelector('spec.nodeName=a').check('list').allowed()`,
          message: 'narrow',
        },
        { expression: `!${check}.check('list').allowed()`, message: 'wide' },
        { expression: "object.metadata.name != 'refused'", message: 'obeyed' },
      ],
    },
  });
  // Anybody may make namespaces, but by no other rule see pods.
  await services.admin.ok('POST', '/apis/rbac.authorization.orch.io/v1/clusterroles', {
    metadata: { name: 'makes-namespaces' },
    rules: [{ verbs: ['create'], apiGroups: [''], resources: ['namespaces'] }],
  });
  await services.admin.ok('POST', '/apis/rbac.authorization.orch.io/v1/clusterrolebindings', {
    metadata: { name: 'makes-namespaces' },
    roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'makes-namespaces' },
    subjects: [{ apiGroup: 'rbac.authorization.orch.io', kind: 'User', name: 'ann' }],
  });
  await services.admin.ok('POST', `${policies}/validatingadmissionpolicybindings`, {
    metadata: { name: 'narrow' },
    spec: { policyName: 'narrow', validationActions: ['Deny'] },
  });
  const make = (name: string): Promise<{ status: number; text: string }> =>
    services.as('ann').request('POST', '/api/v1/namespaces', { metadata: { name } });
  await waitFor('the policy to be obeyed', async () => (await make('refused')).text.includes('obeyed'));
  expect((await make('one')).status).toBe(201);
});
