/** What becomes of bodies that are no objects when webhooks change them; webhooks that send callers elsewhere, or refuse before quotas. */
import { deployment, pod } from '../../support/writes.ts';
import { definition, establish } from '../../support/custom-resources.ts';
import { waitFor } from '../../support/wait-for.ts';
import {
  allowing,
  configMaps,
  encoded,
  patching,
  refusing,
  rule,
  startHooked,
  type Hooked,
} from '../../support/admission-webhook.ts';

let hooked: Hooked;

const web = '/api/v1/namespaces/web';
const deployments = '/apis/apps/v1/namespaces/web/deployments';
const mayGet = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'web' } };

beforeAll(async () => {
  hooked = await startHooked([
    '--disable-admission-plugins=ServiceAccount',
    '--feature-gates=EphemeralContainers=true',
    '--controllers=resourcequota',
  ]);
  const { admin } = hooked.services;
  await admin.ok('POST', deployments, deployment('app'));
  await admin.ok('POST', `${web}/pods`, pod('run'));
}, 60_000);
afterAll(() => hooked[Symbol.asyncDispose]());

beforeEach(() => {
  hooked.server.calls.length = 0;
});

/** Calls the webhook for these resources alone. */
async function onlyFor(group: string, version: string, resource: string): Promise<void> {
  const rules = [{ apiGroups: [group], apiVersions: [version], resources: [resource], operations: ['*'] }];
  await hooked.configure('mutating', [hooked.hook('mutating', { rules, matchPolicy: 'Equivalent' })]);
}

function answering(...operations: object[]): void {
  hooked.answers.set('mutating', (asked) => patching(asked, ...operations));
}

describe('a webhook changes', () => {
  afterEach(() => hooked.answers.clear());

  test('how many are wanted, which is checked like what was sent', async () => {
    const { admin } = hooked.services;
    await onlyFor('apps', 'v1', 'deployments/scale');
    answering({ op: 'replace', path: '/spec/replicas', value: 9 });
    const answer = await admin.patch(`${deployments}/app/scale`, 'merge', { spec: { replicas: 5 } });
    expect([answer.status, answer.json()['spec']]).toEqual([200, { replicas: 9 }]);
    expect(await admin.ok('GET', `${deployments}/app`)).toMatchObject({ spec: { replicas: 9 } });
    answering({ op: 'replace', path: '/spec/replicas', value: -1 });
    expect((await admin.patch(`${deployments}/app/scale`, 'merge', { spec: { replicas: 5 } })).status).toBe(
      422,
    );
    answering({ op: 'replace', path: '/spec/replicas', value: 'many' });
    expect((await admin.patch(`${deployments}/app/scale`, 'merge', { spec: { replicas: 5 } })).status).toBe(
      500,
    );
    expect(await admin.ok('GET', `${deployments}/app`)).toMatchObject({ spec: { replicas: 9 } });
  });

  test('containers to look into a pod, which get their defaults', async () => {
    const { admin } = hooked.services;
    await onlyFor('', 'v1', 'pods/ephemeralcontainers');
    answering({ op: 'add', path: '/ephemeralContainers/-', value: { name: 'more', image: 'more:1' } });
    const path = `${web}/pods/run`;
    const sent = { ephemeralContainers: [{ name: 'debug', image: 'debug:1' }] };
    expect((await admin.patch(`${path}/ephemeralcontainers`, 'merge', sent)).status).toBe(200);
    const { spec } = (await admin.ok('GET', path)) as { spec?: { ephemeralContainers: object[] } };
    expect(spec?.ephemeralContainers.at(-1)).toMatchObject({
      ...{ name: 'more', image: 'more:1' },
      ...{ imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File' },
    });
  });

  test('about whom is asked, in the version of its rule', async () => {
    const { admin } = hooked.services;
    await onlyFor('authorization.orch.io', 'v1', 'subjectaccessreviews');
    const ask = async (): Promise<unknown> => {
      const made = await admin.ok('POST', '/apis/authorization.orch.io/v1beta1/subjectaccessreviews', {
        spec: { user: 'nobody', group: ['system:masters'], ...mayGet },
      });
      return [made.apiVersion, (made['status'] as { allowed: boolean }).allowed];
    };
    expect(await ask()).toEqual(['authorization.orch.io/v1beta1', true]);
    answering({ op: 'remove', path: '/spec/groups' });
    expect(await ask()).toEqual(['authorization.orch.io/v1beta1', false]);
    expect(hooked.asked('mutating')[1]).toMatchObject({
      kind: { group: 'authorization.orch.io', version: 'v1', kind: 'SubjectAccessReview' },
      requestKind: { group: 'authorization.orch.io', version: 'v1beta1', kind: 'SubjectAccessReview' },
      resource: { version: 'v1' },
      requestResource: { version: 'v1beta1' },
      object: { apiVersion: 'authorization.orch.io/v1', spec: { groups: ['system:masters'] } },
    });
  });

  test('the node that a pod gets; the change of the pod itself is no other write', async () => {
    const { admin } = hooked.services;
    await admin.ok('POST', `${web}/pods`, pod('moved'));
    await onlyFor('', 'v1', 'bindings');
    answering({ op: 'replace', path: '/target/name', value: 'other' });
    const binding = { metadata: { name: 'moved' }, target: { kind: 'Node', name: 'n' } };
    expect((await admin.post(`${web}/bindings`, binding)).status).toBe(201);
    expect(await admin.ok('GET', `${web}/pods/moved`)).toMatchObject({ spec: { nodeName: 'other' } });
    expect(hooked.server.calls).toHaveLength(1);
  });
});

test('the status of a definition is judged, whoever writes it: what the service itself says of it, too', async () => {
  const { admin } = hooked.services;
  await onlyFor('apiextensions.orch.io', 'v1', 'customresourcedefinitions/status');
  const made = await establish(admin, definition('judges', 'Judge'));
  const path = `/apis/apiextensions.orch.io/v1/customresourcedefinitions/${made.metadata.name}`;
  const condition = { type: 'Seen', status: 'True', reason: 'Test', message: '' };
  const { conditions } = made['status'] as { conditions: object[] };
  await admin.ok('PUT', `${path}/status`, {
    ...made,
    status: { ...(made['status'] as object), conditions: [...conditions, condition] },
  });
  const told = hooked.asked('mutating').map(({ operation, subResource, userInfo, object }) => ({
    ...{ operation, subResource, user: userInfo.username },
    types: (object as unknown as { status: { conditions: { type: string }[] } }).status.conditions.map(
      (c) => c.type,
    ),
  }));
  const [own, others] = [true, false].map((isOwn) =>
    told.find(({ user }) => (user === 'system:apiserver') === isOwn),
  );
  const about = { operation: 'UPDATE', subResource: 'status' };
  expect(own).toMatchObject({ ...about, types: expect.arrayContaining(['Established']) as unknown });
  expect(others).toMatchObject({ ...about, types: expect.arrayContaining(['Seen']) as unknown });
});

test('an answer may be as long as a patch of the longest body, and no longer', async () => {
  const { admin } = hooked.services;
  await onlyFor('', 'v1', 'configmaps');
  const text = 'x'.repeat(1_000_000);
  answering({ op: 'add', path: '/data', value: { text } });
  const made = await admin.post(`${web}/configmaps`, { metadata: { name: 'long' } });
  expect(made.json()).toMatchObject({ data: { text } });
  const patch = (bytes: number): void => {
    answering({ op: 'add', path: '/data', value: { text: 'x'.repeat(bytes) } });
  };
  patch(3_500_000);
  expect((await admin.post(`${web}/configmaps`, { metadata: { name: 'longer' } })).text).not.toContain(
    'failed calling webhook',
  );
  patch(4_000_000);
  const refused = await admin.post(`${web}/configmaps`, { metadata: { name: 'longest' } });
  expect(refused.status).toBe(500);
  expect(refused.text).toMatch(/failed calling webhook .*: the response is longer than 5 MiB/);
  hooked.answers.clear();
});

test('a webhook that sends elsewhere has failed, and nobody is called there', async () => {
  const { services, server } = hooked;
  await onlyFor('', 'v1', 'configmaps');
  for (const status of [301, 302, 307, 308]) {
    hooked.answers.set('mutating', () => ({ status, headers: { location: `${server.url}/elsewhere` } }));
    const answer = await services.admin.post(`${web}/configmaps`, {
      metadata: { name: `sent-${String(status)}` },
    });
    expect(answer.status).toBe(500);
    expect(answer.text).toContain(`the answer was ${String(status)}`);
  }
  expect(hooked.asked('elsewhere')).toEqual([]);
  expect(server.calls).toHaveLength(4);
});

test('what a webhook refuses takes nothing from a quota', async () => {
  const { services, configure, hook, answers } = hooked;
  const { admin } = services;
  const [home, maps] = ['/api/v1/namespaces/counted', '/api/v1/namespaces/counted/configmaps'];
  await configure('mutating', []);
  await admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'counted' } });
  await admin.ok('POST', `${home}/resourcequotas`, {
    metadata: { name: 'q' },
    spec: { hard: { configmaps: '5' } },
  });
  const used = async (): Promise<string | undefined> => {
    const { status } = (await admin.ok('GET', `${home}/resourcequotas/q`)) as {
      status?: { used?: Record<string, string> };
    };
    return status?.used?.['configmaps'];
  };
  await waitFor('the quota to be counted', async () => (await used()) === '0');
  const seen: (string | undefined)[] = [];
  for (const kind of ['mutating', 'validating'] as const) {
    await configure(kind, [hook('never')]);
    answers.set('never', (asked) => refusing(asked));
    expect((await admin.post(maps, { metadata: { name: 'refused' } })).status).toBe(400);
    // Sooner than the controller would give back what was taken.
    seen.push(await used());
    await configure(kind, []);
  }
  expect(seen).toEqual(['0', '0']);
  await admin.ok('POST', maps, { metadata: { name: 'made' } });
  expect(await used()).toBe('1');
});

test('the details of a refusal are those that a Status has, and short', async () => {
  const { services, configure, hook, answers } = hooked;
  await configure('validating', [hook('deny')]);
  const long = 'x'.repeat(1_000_000);
  const causes = [{ reason: 'Odd', message: long, field: 'data', more: 1 }, 'none'];
  const details = { name: 'n', kind: 7, causes, retryAfterSeconds: 2, more: long };
  answers.set('deny', (request) => refusing(request, { code: 403, message: long, details }));
  const answer = await services.admin.post(`${web}/configmaps`, { metadata: { name: 'denied' } });
  const told = answer.json() as unknown as { details: { causes: object[] } };
  expect(told.details).toMatchObject({ name: 'n', retryAfterSeconds: 2, causes: [{ field: 'data' }] });
  expect(Object.keys(told.details).sort()).toEqual(['causes', 'name', 'retryAfterSeconds']);
  expect(Object.keys(told.details.causes[0] ?? {}).sort()).toEqual(['field', 'message', 'reason']);
  expect(answer.body.length).toBeLessThan(80_000);
});

test('a patch that cannot be used is a failed call of its webhook', async () => {
  const { admin } = hooked.services;
  await onlyFor('', 'v1', 'configmaps');
  const patch = encoded({ op: 'remove', path: '/data' });
  hooked.answers.set('mutating', (asked) => allowing(asked, { patchType: 'JSONPatch', patch }));
  const refused = await admin.post(`${web}/configmaps`, { metadata: { name: 'unchanged' } });
  expect([refused.status, refused.json()['message']]).toEqual([
    500,
    'Internal error occurred: failed calling webhook "mutating.example.com": a JSON patch must be a list of operations',
  ]);
  hooked.answers.clear();
});

test('an answer of another kind is none, in a review of v1beta1, too', async () => {
  const { services, configure, hook, answers } = hooked;
  const rules = [rule('configmaps')];
  await configure('validating', [hook('old', { rules, admissionReviewVersions: ['v1beta1'] })]);
  const make = async (head: object): Promise<string> => {
    answers.set('old', () => ({ body: { ...head, response: { allowed: true } } }));
    return (await services.admin.post(configMaps, { metadata: { generateName: 'made-' } })).text;
  };
  expect(await make({})).toContain('"kind":"ConfigMap"');
  for (const head of [{ kind: 'Lie' }, { apiVersion: 'admission.orch.io/v1' }])
    expect(await make(head)).toContain(
      'expected webhook response of admission.orch.io/v1beta1, Kind=AdmissionReview',
    );
  await configure('validating', []);
});
