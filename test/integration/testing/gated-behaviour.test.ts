/** Feature gates whose effect shows with the whole service: both states, and the defaults of releases. */
import {
  startControlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
} from '../../../src/testing/index.ts';

async function within<T>(options: ControlPlaneOptions, ask: (plane: ControlPlane) => Promise<T>): Promise<T> {
  const plane = await startControlPlane(options);
  try {
    return await ask(plane);
  } finally {
    await plane.stop();
  }
}

/** The HTTP code, also of a refusal. */
async function codeOf(work: Promise<unknown>): Promise<number> {
  try {
    await work;
    return 200;
  } catch (error) {
    return (error as { code?: number }).code ?? 0;
  }
}

const tokenPath = '/api/v1/namespaces/default/serviceaccounts/default/token';

describe.each([
  ['1.34', {}, 409],
  ['1.34', { TokenRequestServiceAccountUIDValidation: false }, 200],
  ['1.33', {}, 200],
])('in %s with %j', (release, featureGates, code) => {
  test(`a token request for the UID of another account: ${String(code)}`, async () => {
    const codes = await within({ release, featureGates }, async ({ admin }) => {
      const about = {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'default', namespace: 'default' },
      };
      const { metadata } = await admin.get(about);
      const ask = (uid: string | undefined): Promise<number> =>
        codeOf(
          admin.request({
            method: 'POST',
            path: tokenPath,
            body: { metadata: { ...(uid && { uid }) }, spec: {} },
          }),
        );
      return [await ask(undefined), await ask(metadata.uid), await ask('another')];
    });
    expect(codes).toEqual([200, 200, code]);
  });
});

const review = (version: string): string => `/apis/authentication.k8s.io/${version}/selfsubjectreviews`;

test.each([
  ['1.26', {}, 'v1alpha1', 404],
  ['1.26', { APISelfSubjectReview: true }, 'v1alpha1', 200],
  ['1.27', { APISelfSubjectReview: true }, 'v1beta1', 200],
  ['1.27', { APISelfSubjectReview: false }, 'v1beta1', 404],
  ['1.28', {}, 'v1', 200],
])('in %s with %j SelfSubjectReview %s: %d', async (release, featureGates, version, code) => {
  const flags = { 'runtime-config': `authentication.k8s.io/${version}=true` };
  const found = await within({ release, featureGates, ...(version !== 'v1' && { flags }) }, ({ admin }) =>
    codeOf(admin.request({ method: 'POST', path: review(version), body: {} })),
  );
  expect(found).toBe(code);
});

const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'own', namespace: 'default' } };

test.each([
  ['1.23', {}, 1],
  ['1.24', {}, 0],
  ['1.24', { LegacyServiceAccountTokenNoAutoGeneration: false }, 1],
  ['1.27', {}, 0],
])('in %s with %j a new service account gets %d Secrets', async (release, featureGates, count) => {
  const found = await within({ release, featureGates }, async (plane) => {
    await plane.admin.create(account);
    await plane.settled();
    return ((await plane.admin.get(account))['secrets'] ?? []) as unknown[];
  });
  expect(found).toHaveLength(count);
});

test.each([
  ['1.22', {}, 200],
  ['1.22', { PodSecurity: true }, 403],
  ['1.23', {}, 403],
  ['1.24', { PodSecurity: false }, 200],
  ['1.36', {}, 403],
])('in %s with %j a privileged pod in a restricted namespace: %d', async (release, featureGates, code) => {
  const found = await within({ release, featureGates }, async ({ admin }) => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await admin.patch(
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } },
      { metadata: { labels } },
    );
    const containers = [{ name: 'main', image: 'busybox:1', securityContext: { privileged: true } }];
    const metadata = { name: 'p', namespace: 'default' };
    return codeOf(admin.create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers } }));
  });
  expect(found).toBe(code);
});

const conditions = [
  {
    type: 'Accepted',
    status: 'True',
    reason: 'RuleApplied',
    message: '',
    lastTransitionTime: '2022-05-03T00:00:00Z',
  },
];

test.each([
  ['1.23', {}, 404, undefined],
  ['1.24', {}, 404, {}],
  ['1.24', { NetworkPolicyStatus: true }, 200, { conditions }],
  ['1.27', { NetworkPolicyStatus: true }, 200, { conditions }],
  ['1.28', {}, 404, undefined],
])('in %s with %j the status of a network policy: %d', async (release, featureGates, code, status) => {
  const found = await within({ release, featureGates }, async ({ admin }) => {
    const about = {
      ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
      metadata: { name: 'all', namespace: 'default' },
    };
    const made = await admin.create({ ...about, spec: { podSelector: {} }, status: { conditions } });
    const path = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies/all/status';
    const written = await codeOf(
      admin.request({ method: 'PUT', path, body: { ...made, status: { conditions } } }),
    );
    const stored = await admin.get(about);
    return { made: made['status'], rest: [written, stored['status']] };
  });
  expect(found.made).toEqual(code === 200 || status ? {} : undefined);
  expect(found.rest).toEqual([code, status]);
});

test('with RemoveSelfLink off objects of all kinds say where they are, and none keeps it', async () => {
  const link = await within({ release: '1.22', featureGates: { RemoveSelfLink: false } }, async (plane) => {
    const { admin } = plane;
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'a:b c' },
    };
    const { metadata } = await admin.create({ ...role, rules: [] });
    const name = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'default' } };
    const made = await admin.create(name);
    const changed = await admin.patch(name, { data: { a: 'b' }, metadata: { selfLink: '/nowhere' } });
    const older = await admin.request({
      method: 'GET',
      path: '/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets',
    });
    return [metadata, made.metadata, changed.metadata, (older as { metadata: object }).metadata].map(
      (each) => (each as { selfLink?: string }).selfLink,
    );
  });
  const map = '/api/v1/namespaces/default/configmaps/m';
  const budgets = '/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets';
  const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/a:b%20c';
  expect(link).toEqual([role, map, map, budgets]);
});

test.each([
  ['1.21', {}, 200],
  ['1.33', {}, 200],
  ['1.33', { StrictIPCIDRValidation: true }, 422],
  ['1.36', { StrictIPCIDRValidation: false }, 200],
  ['1.36', {}, 422],
])('in %s with %j a service with leading zeros in an address: %d', async (release, featureGates, code) => {
  const found = await within({ release, featureGates }, async ({ admin }) => {
    const metadata = { name: 's', namespace: 'default' };
    const spec = { ports: [{ port: 80 }], externalIPs: ['203.000.113.005'] };
    const service = { apiVersion: 'v1', kind: 'Service', metadata, spec };
    const own = { ...service, metadata: { ...metadata, name: 'own' } };
    return [
      await codeOf(admin.create(service)),
      await codeOf(admin.create({ ...own, spec: { ports: [{ port: 80 }], clusterIP: '10.0.000.099' } })),
      // The same address, however it is written.
      await codeOf(
        admin.create({
          ...service,
          metadata: { ...metadata, name: 'other' },
          spec: { ports: [{ port: 80 }], clusterIP: '10.0.0.99' },
        }),
      ),
    ];
  });
  expect(found).toEqual([code, code, code === 200 ? 422 : 200]);
});
