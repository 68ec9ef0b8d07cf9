/** Pods run as accounts of their namespace: over HTTPS, with the controllers that make the account `default`. */
import { startService, pod, type Service } from '../../support/writes.ts';
import type { ApiObject } from '../../support/client.ts';

let service: Service;

beforeAll(async () => {
  service = await startService();
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

interface Spec {
  readonly serviceAccountName: string;
  readonly imagePullSecrets?: unknown;
  readonly volumes?: { name: string; projected: { sources: object[] } }[];
  readonly containers: { volumeMounts?: { name: string; mountPath: string }[] }[];
}

const specOf = (object: ApiObject): Spec => object['spec'] as Spec;

test('a pod right after its namespace gets the account that is about to come, and a token', async () => {
  const { admin } = service;
  await admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'fresh' } });
  const spec = specOf(await admin.ok('POST', '/api/v1/namespaces/fresh/pods', pod('early')));
  expect(spec.serviceAccountName).toBe('default');
  const [volume] = spec.volumes ?? [];
  expect(volume?.name).toMatch(/^orch-api-access-[a-z0-9]{5}$/);
  expect(volume?.projected.sources).toEqual([
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'orch-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ]);
  const mountPath = '/var/run/secrets/orch.io/serviceaccount';
  const mounts = [expect.objectContaining({ name: volume?.name, mountPath, readOnly: true })] as unknown[];
  expect(spec.containers[0]?.volumeMounts).toEqual(mounts);
});

test('an account that is not there is 403, also in a dry run', async () => {
  const path = '/api/v1/namespaces/writes/pods';
  const body = pod('lost', { serviceAccountName: 'nobody' });
  for (const query of ['', '?dryRun=All']) {
    const answer = await service.admin.post(path + query, body);
    expect(answer.status).toBe(403);
    expect(answer.json()['message']).toBe(
      'pods "lost" is forbidden: error looking up service account writes/nobody: serviceaccount "nobody" not found',
    );
  }
});

test('pull secrets come from the account, a token only where pod and account want one', async () => {
  const { admin } = service;
  const accounts = '/api/v1/namespaces/writes/serviceaccounts';
  const account = { metadata: { name: 'puller' }, imagePullSecrets: [{ name: 'registry' }] };
  await admin.ok('POST', accounts, { ...account, automountServiceAccountToken: false });
  const pods = '/api/v1/namespaces/writes/pods';
  const plain = specOf(await admin.ok('POST', pods, pod('plain', { serviceAccountName: 'puller' })));
  expect(plain.imagePullSecrets).toEqual([{ name: 'registry' }]);
  expect(plain.volumes).toBeUndefined();
  const wanting = { serviceAccountName: 'puller', automountServiceAccountToken: true };
  const wants = specOf(await admin.ok('POST', pods, pod('wants', { ...wanting })));
  expect(wants.volumes).toHaveLength(1);
});
