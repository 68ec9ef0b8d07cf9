/** What a webhook is asked, field by field, for every way in which something is written or connected to. */
import { deployment, pod } from '../../support/writes.ts';
import { startHooked, type Asked, type Hooked } from '../../support/admission-webhook.ts';

let hooked: Hooked;

const web = '/api/v1/namespaces/web';
const deployments = '/apis/apps/v1/namespaces/web/deployments';
const me = '?fieldManager=me';

beforeAll(async () => {
  hooked = await startHooked([
    '--disable-admission-plugins=ServiceAccount',
    '--feature-gates=EphemeralContainers=true',
  ]);
  const { admin } = hooked.services;
  await admin.ok('POST', `${web}/configmaps`, {
    metadata: { name: 'old', labels: { a: 'b' } },
    data: { k: 'v' },
  });
  await admin.ok('POST', `${web}/configmaps`, { metadata: { name: 'going' } });
  await admin.ok('POST', `${web}/serviceaccounts`, { metadata: { name: 'robot' } });
  await admin.ok('POST', deployments, deployment('app'));
  for (const name of ['run', 'bind', 'place', 'evict']) await admin.ok('POST', `${web}/pods`, pod(name));
  const rules = [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*'] }];
  for (const kind of ['mutating', 'validating'] as const)
    await hooked.configure(kind, [hooked.hook(kind, { rules, matchPolicy: 'Exact' })]);
}, 60_000);
afterAll(() => hooked[Symbol.asyncDispose]());

beforeEach(() => {
  hooked.server.calls.length = 0;
});

interface Want {
  readonly operation?: string;
  /** Kind and resource as `group/version/Kind` and `group/version/plural/subresource`. */
  readonly kind: string;
  readonly resource: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly object?: object | null;
  readonly oldObject?: object | null;
  readonly dryRun?: boolean;
  readonly options?: object | null;
}

const meta = 'meta.orch.io/v1';
const createOptions = { kind: 'CreateOptions', apiVersion: meta, fieldManager: 'me' };
const updateOptions = { kind: 'UpdateOptions', apiVersion: meta, fieldManager: 'me' };

/** All of a request, with nothing beside it. */
function expected(want: Want): object {
  const [group = '', version, kind] = want.kind.split('/');
  const [g = '', v, plural, subResource] = want.resource.split('/');
  const { operation = 'CREATE', name, namespace, object = null, oldObject = null } = want;
  const gvk = { group, version, kind };
  const gvr = { group: g, version: v, resource: plural };
  return {
    uid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
    ...{ kind: gvk, resource: gvr, requestKind: gvk, requestResource: gvr },
    ...(subResource && { subResource, requestSubResource: subResource }),
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    operation,
    userInfo: { username: 'root', uid: 'uid-root', groups: ['system:masters', 'system:authenticated'] },
    object: object && (expect.objectContaining(object) as object),
    oldObject: oldObject && (expect.objectContaining(oldObject) as object),
    dryRun: want.dryRun ?? false,
    options: want.options === undefined ? createOptions : want.options,
  };
}

type Sent = readonly [method: string, path: string, body?: object];

const merge = 'application/merge-patch+json';
const apply = 'application/apply-patch+yaml';

async function send([method, path, body]: Sent): Promise<number> {
  const root = hooked.services.as('root');
  const type = method === 'APPLY' ? apply : merge;
  if (method !== 'PATCH' && method !== 'APPLY') return (await root.request(method, path, body)).status;
  return (await root.request('PATCH', path, body, { 'content-type': type })).status;
}

/** What was asked on behalf of the user of the tests; controllers write, too. */
function askedOf(kind: string): Asked[] {
  return hooked.asked(kind).filter(({ userInfo }) => userInfo.username === 'root');
}

const map = (metadata: object, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata,
  ...more,
});
const inWeb = { namespace: 'web' };
const aMap = { kind: '/v1/ConfigMap', resource: '/v1/configmaps', ...inWeb };
const aScale = { kind: 'autoscaling/v1/Scale', resource: 'apps/v1/deployments/scale', name: 'app', ...inWeb };
const scale = (replicas: number): object => ({
  ...{ kind: 'Scale', apiVersion: 'autoscaling/v1' },
  ...{ metadata: expect.objectContaining({ name: 'app', namespace: 'web' }) as object },
  ...{ spec: { replicas }, status: expect.objectContaining({ replicas: 0 }) as object },
});
const debug = { name: 'debug', image: 'image:1' };
const authentication = 'authentication.orch.io/v1';
const authorization = 'authorization.orch.io/v1';
const mayGet = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'web' } };

const table: readonly (readonly [string, Sent, Want | undefined])[] = [
  [
    'POST',
    ['POST', `${web}/configmaps${me}`, map({ name: 'new' })],
    { ...aMap, name: 'new', object: map(expect.objectContaining({ name: 'new' }) as object) },
  ],
  [
    'POST of an object of the cluster',
    ['POST', `/api/v1/nodes${me}`, { metadata: { name: 'n' } }],
    { kind: '/v1/Node', resource: '/v1/nodes', name: 'n', object: { kind: 'Node' } },
  ],
  [
    'POST of a namespace',
    ['POST', `/api/v1/namespaces${me}`, { metadata: { name: 'own' } }],
    {
      kind: '/v1/Namespace',
      resource: '/v1/namespaces',
      name: 'own',
      namespace: 'own',
      object: { kind: 'Namespace' },
    },
  ],
  [
    'a dry run',
    ['POST', `${web}/configmaps${me}&dryRun=All`, map({ name: 'dry' })],
    {
      ...aMap,
      name: 'dry',
      object: { kind: 'ConfigMap' },
      dryRun: true,
      options: { ...createOptions, dryRun: ['All'] },
    },
  ],
  [
    'PUT',
    ['PUT', `${web}/configmaps/old${me}`, map({ name: 'old' }, { data: { k: 'w' } })],
    {
      ...aMap,
      operation: 'UPDATE',
      name: 'old',
      object: { data: { k: 'w' } },
      oldObject: { data: { k: 'v' } },
      options: updateOptions,
    },
  ],
  // The operation is an update, and so are its options: a patch is a way to say what the object shall be.
  [
    'PATCH',
    ['PATCH', `${web}/configmaps/old${me}`, { data: { k: 'x' } }],
    {
      ...aMap,
      operation: 'UPDATE',
      name: 'old',
      object: { data: { k: 'x' } },
      oldObject: { data: { k: 'w' } },
      options: updateOptions,
    },
  ],
  [
    'apply of what is new',
    ['APPLY', `${web}/configmaps/applied${me}`, map({ name: 'applied' }, { data: { k: 'v' } })],
    { ...aMap, name: 'applied', object: { data: { k: 'v' } } },
  ],
  [
    'apply',
    ['APPLY', `${web}/configmaps/applied${me}`, map({ name: 'applied' }, { data: { k: 'w' } })],
    {
      ...aMap,
      operation: 'UPDATE',
      name: 'applied',
      object: { data: { k: 'w' } },
      oldObject: { data: { k: 'v' } },
      options: updateOptions,
    },
  ],
  [
    'DELETE',
    ['DELETE', `${web}/configmaps/going`, { gracePeriodSeconds: 7, propagationPolicy: 'Background' }],
    {
      ...aMap,
      operation: 'DELETE',
      name: 'going',
      oldObject: { kind: 'ConfigMap' },
      options: {
        kind: 'DeleteOptions',
        apiVersion: meta,
        gracePeriodSeconds: 7,
        propagationPolicy: 'Background',
      },
    },
  ],
  [
    'the status',
    ['PATCH', `${deployments}/app/status${me}`, { status: { observedGeneration: 1 } }],
    {
      kind: 'apps/v1/Deployment',
      resource: 'apps/v1/deployments/status',
      ...inWeb,
      operation: 'UPDATE',
      name: 'app',
      object: { kind: 'Deployment' },
      oldObject: { kind: 'Deployment' },
      options: updateOptions,
    },
  ],
  [
    'PATCH of the scale',
    ['PATCH', `${deployments}/app/scale${me}`, { spec: { replicas: 3 } }],
    { ...aScale, operation: 'UPDATE', object: scale(3), oldObject: scale(2), options: updateOptions },
  ],
  [
    'PUT of the scale',
    ['PUT', `${deployments}/app/scale${me}`, { metadata: { name: 'app' }, spec: { replicas: 4 } }],
    { ...aScale, operation: 'UPDATE', object: scale(4), oldObject: scale(3), options: updateOptions },
  ],
  [
    'containers to look into a pod',
    ['PATCH', `${web}/pods/run/ephemeralcontainers${me}`, { ephemeralContainers: [debug] }],
    {
      ...{
        kind: '/v1/EphemeralContainers',
        resource: '/v1/pods/ephemeralcontainers',
        operation: 'UPDATE',
        name: 'run',
        ...inWeb,
      },
      object: { kind: 'EphemeralContainers', ephemeralContainers: [expect.objectContaining(debug)] },
      oldObject: { kind: 'EphemeralContainers', ephemeralContainers: [] },
      options: updateOptions,
    },
  ],
  [
    'the node of a pod',
    [
      'POST',
      `${web}/pods/bind/binding${me}`,
      { metadata: { name: 'bind' }, target: { kind: 'Node', name: 'n' } },
    ],
    {
      kind: '/v1/Binding',
      resource: '/v1/pods/binding',
      name: 'bind',
      ...inWeb,
      object: { kind: 'Binding', apiVersion: 'v1' },
    },
  ],
  [
    'a binding',
    ['POST', `${web}/bindings${me}`, { metadata: { name: 'place' }, target: { kind: 'Node', name: 'n' } }],
    {
      kind: '/v1/Binding',
      resource: '/v1/bindings',
      name: 'place',
      ...inWeb,
      object: { kind: 'Binding', apiVersion: 'v1' },
    },
  ],
  [
    'an eviction',
    ['POST', `${web}/pods/evict/eviction${me}`, { metadata: { name: 'evict' } }],
    {
      kind: 'policy/v1beta1/Eviction',
      resource: '/v1/pods/eviction',
      name: 'evict',
      ...inWeb,
      object: { kind: 'Eviction', apiVersion: 'policy/v1beta1' },
    },
  ],
  [
    'a token',
    ['POST', `${web}/serviceaccounts/robot/token${me}`, { spec: { audiences: ['a'] } }],
    {
      kind: `${authentication}/TokenRequest`,
      resource: '/v1/serviceaccounts/token',
      name: 'robot',
      ...inWeb,
      object: { kind: 'TokenRequest', spec: { audiences: ['a'] } },
    },
  ],
  [
    'whose token it is',
    ['POST', `/apis/${authentication}/tokenreviews${me}`, { spec: { token: 'none' } }],
    {
      kind: `${authentication}/TokenReview`,
      resource: `${authentication}/tokenreviews`,
      object: { kind: 'TokenReview', spec: { token: 'none' } },
    },
  ],
  [
    'what somebody may do',
    ['POST', `/apis/${authorization}/subjectaccessreviews${me}`, { spec: { user: 'ann', ...mayGet } }],
    {
      kind: `${authorization}/SubjectAccessReview`,
      resource: `${authorization}/subjectaccessreviews`,
      object: { spec: { user: 'ann', ...mayGet } },
    },
  ],
  [
    'what one may do oneself',
    ['POST', `/apis/${authorization}/selfsubjectaccessreviews${me}`, { spec: mayGet }],
    {
      kind: `${authorization}/SelfSubjectAccessReview`,
      resource: `${authorization}/selfsubjectaccessreviews`,
      object: { spec: mayGet },
    },
  ],
  [
    'all that one may do',
    ['POST', `/apis/${authorization}/selfsubjectrulesreviews${me}`, { spec: { namespace: 'web' } }],
    {
      kind: `${authorization}/SelfSubjectRulesReview`,
      resource: `${authorization}/selfsubjectrulesreviews`,
      object: { spec: { namespace: 'web' } },
    },
  ],
  [
    'what somebody may do in a namespace',
    [
      'POST',
      `/apis/${authorization}/namespaces/web/localsubjectaccessreviews${me}`,
      { metadata: inWeb, spec: { user: 'ann', ...mayGet } },
    ],
    {
      kind: `${authorization}/LocalSubjectAccessReview`,
      resource: `${authorization}/localsubjectaccessreviews`,
      ...inWeb,
      object: { spec: { user: 'ann', ...mayGet } },
    },
  ],
  [
    'a process in a pod',
    ['POST', `${web}/pods/run/exec?command=sh&container=main&stdin=true`],
    {
      operation: 'CONNECT',
      kind: '/v1/PodExecOptions',
      resource: '/v1/pods/exec',
      name: 'run',
      ...inWeb,
      object: { kind: 'PodExecOptions', apiVersion: 'v1', command: ['sh'], container: 'main', stdin: true },
      options: null,
    },
  ],
  ['a log', ['GET', `${web}/pods/run/log`], undefined],
  ['a scale that is read', ['GET', `${deployments}/app/scale`], undefined],
  ['a list', ['GET', `${web}/configmaps`], undefined],
];

test.each(table)('%s', async (_what, sent, want) => {
  const status = await send(sent);
  // There is no node that a connection could go to.
  if (want && want.operation !== 'CONNECT') expect([200, 201]).toContain(status);
  const asked = ['mutating', 'validating'].map(askedOf);
  const one = want ? [expected(want)] : [];
  expect(asked).toEqual([one, one]);
});

test('calls say who makes them, and in what', () => {
  const { services, server } = hooked;
  return services.admin
    .ok('POST', `${web}/configmaps`, map({ generateName: 'made-' }))
    .then(({ metadata }) => {
      const [mutating, validating] = server.calls.filter(
        ({ body }) => (body['request'] as Asked).userInfo.username === 'admin',
      );
      expect(mutating).toMatchObject({ userAgent: 'orch-apiserver-admission', authorization: '', peer: '' });
      expect(Object.keys(mutating?.body ?? {}).sort()).toEqual(['apiVersion', 'kind', 'request']);
      // The name is made between the two phases.
      expect(mutating?.body['request']).not.toHaveProperty('name');
      expect(validating?.body['request']).toHaveProperty('name', metadata.name);
    });
});
