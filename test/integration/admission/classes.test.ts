/** Plugins that fill in or check what objects say of classes, priorities, tolerations, images and signers. */
import 'reflect-metadata';
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untilPodsMayRun } from '../../support/default-account.ts';
import { startEtcdCluster } from '../../support/etcd/cluster.ts';
import { makeServicePki, startReplica } from '../../support/replica.ts';
import type { Answer, ApiClient, ApiObject } from '../../support/client.ts';
import { until } from '../../support/authorized-server.ts';
import { pod } from '../../support/writes.ts';

let stack: AsyncDisposableStack;
let admin: ApiClient;
let approver: ApiClient;
const path = '/api/v1/namespaces/default';
const requests = '/apis/certificates.orch.io/v1/certificatesigningrequests';
const storageClasses = '/apis/storage.orch.io/v1/storageclasses';

const admissionFile = `
apiVersion: apiserver.config.orch.io/v1
kind: AdmissionConfiguration
plugins:
- name: EventRateLimit
  configuration:
    apiVersion: eventratelimit.admission.orch.io/v1alpha1
    kind: Configuration
    limits:
    - {type: Namespace, qps: 1, burst: 2}
`;

beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const etcd = stack.use(await startEtcdCluster({ how: 'process' }));
  const pki = stack.use(await makeServicePki());
  const file = join(pki.folder, 'admission.yaml');
  writeFileSync(file, admissionFile);
  const args = [
    '--enable-admission-plugins=AlwaysPullImages,PodNodeSelector,EventRateLimit',
    `--admission-control-config-file=${file}`,
  ];
  const replica = stack.use(await startReplica({ etcd, pki, args }));
  admin = replica.admin;
  await untilPodsMayRun(admin);
  approver = replica.client(await pki.authority.client({ commonName: 'approver' }));
  stack.defer(() => approver.close());
});

afterAll(async () => {
  await stack.disposeAsync();
});

async function certificateRequest(name: string): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: algorithm });
  return Buffer.from(request.toString('pem')).toString('base64');
}

async function specOf(answer: Promise<ApiObject>): Promise<Record<string, unknown>> {
  return (await answer)['spec'] as Record<string, unknown>;
}

function refusal(answer: Answer): unknown[] {
  return [answer.status, answer.json()['message']];
}

test('a pod gets the priority of its class, and may not say another', async () => {
  const critical = { priorityClassName: 'system-node-critical' };
  const spec = await specOf(admin.ok('POST', `${path}/pods`, pod('critical', critical)));
  expect(spec).toMatchObject({ priority: 2_000_001_000, preemptionPolicy: 'PreemptLowerPriority' });
  expect(refusal(await admin.post(`${path}/pods`, pod('lost', { priorityClassName: 'none' })))).toEqual([
    403,
    'pods "lost" is forbidden: no PriorityClass with name none was found',
  ]);
  const answer = await admin.post(`${path}/pods`, pod('bold', { priority: 7 }));
  expect(refusal(answer)[1]).toBe(
    'pods "bold" is forbidden: the integer value of priority (7) must not be provided in pod spec; ' +
      'priority admission controller computed 0 from the given PriorityClass name',
  );
});

test('there is one default among the priority classes, which pods without one get', async () => {
  const classes = '/apis/scheduling.orch.io/v1/priorityclasses';
  const usual = { metadata: { name: 'usual' }, value: 5, globalDefault: true };
  await admin.createSeen(classes, usual);
  expect(refusal(await admin.post(classes, { ...usual, metadata: { name: 'other' } }))).toEqual([
    403,
    'priorityclasses.scheduling.orch.io "other" is forbidden: PriorityClass usual is already marked as default. Only one default can exist',
  ]);
  const spec = await specOf(admin.ok('POST', `${path}/pods`, pod('plain')));
  expect(spec).toMatchObject({ priorityClassName: 'usual', priority: 5 });
});

test('pods tolerate nodes that are away for five minutes, and pull their images always', async () => {
  const own = {
    key: 'node.orch.io/not-ready',
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 1,
  };
  const spec = await specOf(admin.ok('POST', `${path}/pods`, pod('tolerant', { tolerations: [own] })));
  const added = { ...own, key: 'node.orch.io/unreachable', tolerationSeconds: 300 };
  expect(spec['tolerations']).toEqual([own, added]);
  expect(spec['containers']).toEqual([expect.objectContaining({ imagePullPolicy: 'Always' })]);
});

test('a namespace says on which nodes its pods run', async () => {
  const annotations = { 'scheduler.alpha.orch.io/node-selector': 'disk=fast' };
  await admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'placed', annotations } });
  const pods = '/api/v1/namespaces/placed/pods';
  await untilPodsMayRun(admin, 'placed');
  const spec = await specOf(admin.ok('POST', pods, pod('one', { nodeSelector: { zone: 'a' } })));
  expect(spec['nodeSelector']).toEqual({ zone: 'a', disk: 'fast' });
  expect(refusal(await admin.post(pods, pod('two', { nodeSelector: { disk: 'slow' } })))).toEqual([
    403,
    'pods "two" is forbidden: pod node label selector conflicts with its namespace node label selector',
  ]);
});

test('a pod takes what its runtime class says', async () => {
  const scheduling = {
    nodeSelector: { runtime: 'kata' },
    tolerations: [{ key: 'kata', operator: 'Exists' }],
  };
  const kata = {
    metadata: { name: 'kata' },
    handler: 'kata',
    overhead: { podFixed: { cpu: '250m' } },
    scheduling,
  };
  await admin.ok('POST', '/apis/node.orch.io/v1/runtimeclasses', kata);
  const spec = await specOf(admin.ok('POST', `${path}/pods`, pod('boxed', { runtimeClassName: 'kata' })));
  expect(spec).toMatchObject({ overhead: { cpu: '250m' }, nodeSelector: { runtime: 'kata' } });
  expect(refusal(await admin.post(`${path}/pods`, pod('unboxed', { runtimeClassName: 'none' })))).toEqual([
    403,
    'pods "unboxed" is forbidden: pod rejected: RuntimeClass "none" not found',
  ]);
});

test('claims get the default class, and grow where it allows that', async () => {
  const annotations = { 'storageclass.orch.io/is-default-class': 'true' };
  const storageClass = { metadata: { name: 'standard', annotations }, provisioner: 'example.com/disk' };
  await admin.createSeen(storageClasses, storageClass);
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const claims = `${path}/persistentvolumeclaims`;
  const made = await specOf(admin.ok('POST', claims, { metadata: { name: 'data' }, spec: claim }));
  expect(made['storageClassName']).toBe('standard');
  const larger = { spec: { resources: { requests: { storage: '2Gi' } } } };
  // Before it is bound, it may not change at all.
  expect((await admin.patch(`${claims}/data`, 'merge', larger)).status).toBe(422);
  await admin.patch(`${claims}/data/status`, 'merge', { status: { phase: 'Bound' } });
  expect(refusal(await admin.patch(`${claims}/data`, 'merge', larger))[1]).toContain(
    'only dynamically provisioned pvc can be resized',
  );
  const growing = { allowVolumeExpansion: true };
  await admin.patch(`${storageClasses}/standard`, 'merge', growing);
  // A fresh read waits until admission knows of the change.
  await admin.ok('GET', `${storageClasses}/standard`);
  expect((await admin.patch(`${claims}/data`, 'merge', larger)).status).toBe(200);
});

test('ingresses get the default class; two defaults are a refusal', async () => {
  const classes = '/apis/networking.orch.io/v1/ingressclasses';
  const annotations = { 'ingressclass.orch.io/is-default-class': 'true' };
  const ingressClass = (name: string): object => ({
    metadata: { name, annotations },
    spec: { controller: 'example.com/proxy' },
  });
  await admin.createSeen(classes, ingressClass('one'));
  const ingresses = '/apis/networking.orch.io/v1/namespaces/default/ingresses';
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const ingress = (name: string): object => ({ metadata: { name }, spec: { defaultBackend: backend } });
  expect((await specOf(admin.ok('POST', ingresses, ingress('a'))))['ingressClassName']).toBe('one');
  await admin.createSeen(classes, ingressClass('two'));
  expect(refusal(await admin.post(ingresses, ingress('b')))).toEqual([
    403,
    'ingresses.networking.orch.io "b" is forbidden: Internal error occurred: 2 default IngressClasses were found',
  ]);
});

test('only those who may act for a signer approve its requests', async () => {
  const rbac = '/apis/rbac.authorization.orch.io/v1';
  const group = 'certificates.orch.io';
  const approval = {
    apiGroups: [group],
    resources: ['certificatesigningrequests', 'certificatesigningrequests/approval'],
    verbs: ['*'],
  };
  const signer = {
    apiGroups: [group],
    resources: ['signers'],
    resourceNames: ['example.com/one'],
    verbs: ['approve'],
  };
  await admin.ok('POST', `${rbac}/clusterroles`, {
    metadata: { name: 'approver' },
    rules: [approval, signer],
  });
  await admin.ok('POST', `${rbac}/clusterrolebindings`, {
    metadata: { name: 'approver' },
    roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'approver' },
    subjects: [{ apiGroup: 'rbac.authorization.orch.io', kind: 'User', name: 'approver' }],
  });
  await until(approver, ['GET', `${requests}/none`], 404);
  for (const [name, status] of [
    ['one', 200],
    ['two', 403],
  ] as const) {
    const spec = {
      request: await certificateRequest('CN=x'),
      signerName: `example.com/${name}`,
      usages: ['client auth'],
    };
    await admin.ok('POST', requests, { metadata: { name }, spec });
    const condition = { type: 'Approved', status: 'True', reason: 'Test', message: '' };
    const answer = await approver.patch(`${requests}/${name}/approval`, 'merge', {
      status: { conditions: [condition] },
    });
    expect(answer.status).toBe(status);
    if (status === 403)
      expect(answer.json()['message']).toBe(
        'certificatesigningrequests.certificates.orch.io "two" is forbidden: user not permitted to approve requests with signerName "example.com/two"',
      );
  }
});

test('nobody asks for a certificate of system:masters', async () => {
  const signerName = 'orch.io/kube-apiserver-client';
  const request = await certificateRequest('CN=x,O=system:masters');
  const spec = { request, signerName, usages: ['client auth'] };
  expect(refusal(await admin.post(requests, { metadata: { name: 'masters' }, spec }))).toEqual([
    403,
    'certificatesigningrequests.certificates.orch.io "masters" is forbidden: ' +
      'use of orch.io/kube-apiserver-client signer with system:masters group is not allowed',
  ]);
});

test('a namespace that tells too much is told to wait, others are not', async () => {
  for (const name of ['loud', 'calm']) await admin.ok('POST', '/api/v1/namespaces', { metadata: { name } });
  const tell = (namespace: string, name: string): Promise<Answer> => {
    const involvedObject = { kind: 'Pod', namespace, name: 'one' };
    const event = { metadata: { name }, involvedObject, reason: 'Said', type: 'Normal' };
    return admin.post(`/api/v1/namespaces/${namespace}/events`, event);
  };
  const told = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => tell('loud', name)));
  expect(told.filter(({ status }) => status === 201).length).toBeLessThan(6);
  const beyond = told.find(({ status }) => status !== 201);
  expect(beyond?.json()).toMatchObject({
    code: 429,
    reason: 'TooManyRequests',
    message: 'limit reached on type Namespace for key loud',
  });
  expect((await tell('calm', 'a')).status).toBe(201);
});
