/** Plugins that are off by default, enabled by flags and configured by a file, over HTTPS: one case for each wire. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  binding,
  rbac,
  role,
  rule,
  startServices,
  until,
  type Services,
} from '../../support/authorized-server.ts';
import type { Answer } from '../../support/client.ts';
import { makeServicePki } from '../../support/replica.ts';
import { WebhookServer } from '../../support/webhook-server.ts';
import { pod } from '../../support/writes.ts';

const owned = new AsyncDisposableStack();
let services: Services;
let images: WebhookServer;

const enabled = [
  'NamespaceAutoProvision',
  'NamespaceExists',
  'LimitPodHardAntiAffinityTopology',
  'ImagePolicyWebhook',
  'PodSecurity',
  'PodSecurityPolicy',
  'PodTolerationRestriction',
  'ExtendedResourceToleration',
  'PersistentVolumeLabel',
  'OwnerReferencesPermissionEnforcement',
  'DenyServiceExternalIPs',
];

beforeAll(async () => {
  const pki = owned.use(await makeServicePki());
  images = owned.use(await WebhookServer.start(pki.server, pki.authority));
  const kubeconfig = {
    clusters: [{ name: 'c', cluster: { server: images.url, 'certificate-authority': pki.authority.caFile } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(join(pki.folder, 'images'), JSON.stringify(kubeconfig));
  const tolerations = {
    ...{ apiVersion: 'podtolerationrestriction.admission.orch.io/v1alpha1', kind: 'Configuration' },
    default: [{ key: 'shared', operator: 'Exists', effect: 'NoSchedule' }],
  };
  const security = {
    ...{ apiVersion: 'pod-security.admission.config.orch.io/v1', kind: 'PodSecurityConfiguration' },
    exemptions: { usernames: ['dora'] },
  };
  const plugins = [
    { name: 'ImagePolicyWebhook', configuration: { imagePolicy: { kubeConfigFile: 'images' } } },
    { name: 'PodSecurity', configuration: security },
    { name: 'PodTolerationRestriction', configuration: tolerations },
  ];
  const file = join(pki.folder, 'admission');
  const head = { apiVersion: 'apiserver.config.orch.io/v1', kind: 'AdmissionConfiguration' };
  writeFileSync(file, JSON.stringify({ ...head, plugins }));
  services = owned.use(
    await startServices(1, [
      `--enable-admission-plugins=${enabled.join(',')}`,
      '--disable-admission-plugins=ServiceAccount',
      `--admission-control-config-file=${file}`,
      '--controllers=namespace',
    ]),
  );
  await services.admin.ok(
    'POST',
    '/apis/policy/v1beta1/podsecuritypolicies',
    policy('open', { privileged: true, hostPID: true }),
  );
}, 60_000);
afterAll(() => owned.disposeAsync());

beforeEach(() => {
  images.calls.length = 0;
  images.answer = ({ body }) => ({ body: { ...body, status: { allowed: true } } });
});

const pods = '/api/v1/namespaces/web/pods';

function policy(name: string, more: object): object {
  const any = { rule: 'RunAsAny' };
  const rules = { runAsUser: any, fsGroup: any, supplementalGroups: any, seLinux: any };
  return { metadata: { name }, spec: { ...rules, volumes: ['*'], ...more } };
}

async function told(sent: Promise<Answer>): Promise<unknown[]> {
  const answer = await sent;
  return answer.status < 400 ? [answer.status] : [answer.status, answer.json()['message']];
}

test('the first object of a namespace creates it', async () => {
  const maps = '/api/v1/namespaces/fresh/configmaps';
  expect((await services.admin.post(`${maps}?dryRun=All`, { metadata: { name: 'm' } })).status).toBe(404);
  expect((await services.admin.post(maps, { metadata: { name: 'm' } })).status).toBe(201);
  expect((await services.admin.get('/api/v1/namespaces/fresh')).status).toBe(200);
});

test('the image policy webhook is asked over TLS, and refuses pods', async () => {
  images.answer = ({ body }) => ({ body: { ...body, status: { allowed: false, reason: 'unsigned' } } });
  const containers = [{ name: 'c', image: 'unsigned' }];
  expect(await told(services.admin.post(pods, pod('refused', { containers })))).toEqual([
    403,
    'pods "refused" is forbidden: image policy webhook backend denied one or more images: unsigned',
  ]);
  expect(images.calls.map(({ body }) => [body['kind'], body['apiVersion']])).toEqual([
    ['ImageReview', 'imagepolicy.orch.io/v1alpha1'],
  ]);
});

test('pods get tolerations of the configuration and of their extended resources', async () => {
  const resources = { limits: { 'example.com/gpu': '1' }, requests: { 'example.com/gpu': '1' } };
  const containers = [{ name: 'c', image: 'tolerant', resources }];
  const made = await services.admin.ok('POST', pods, pod('tolerant', { containers }));
  const keys = (made['spec'] as { tolerations: { key: string }[] }).tolerations.map(({ key }) => key);
  expect(keys).toEqual(expect.arrayContaining(['shared', 'example.com/gpu']));
});

test('anti-affinity by zone, external IPs and disks of a cloud are refused', async () => {
  const required = [{ labelSelector: {}, topologyKey: 'zone' }];
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  const service = { metadata: { name: 's' }, spec: { ports: [{ port: 80 }], externalIPs: ['1.2.3.4'] } };
  const spec = {
    ...{ capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] },
    awsElasticBlockStore: { volumeID: 'vol-1' },
  };
  const problems = [
    await told(services.admin.post(pods, pod('apart', { affinity }))),
    await told(services.admin.post('/api/v1/namespaces/web/services', service)),
    await told(services.admin.post('/api/v1/persistentvolumes', { metadata: { name: 'v' }, spec })),
  ];
  expect(problems.map(([status]) => status)).toEqual([403, 403, 403]);
});

test('who may not delete an object does not change its owners', async () => {
  const maps = '/api/v1/namespaces/web/configmaps';
  await services.admin.ok(
    'POST',
    `${rbac}/clusterroles`,
    role('changer', rule('get,patch,create configmaps')),
  );
  await services.admin.ok(
    'POST',
    `${rbac}/clusterrolebindings`,
    binding('changer', 'ClusterRole changer', 'User bob'),
  );
  await until(services.as('bob'), ['GET', `${maps}/none`], 404);
  const owner = await services.admin.ok('POST', maps, { metadata: { name: 'owner' } });
  const { uid } = owner.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
  await services.admin.ok('POST', maps, { metadata: { name: 'mine' } });
  const refused = await services.as('bob').patch(`${maps}/mine`, 'merge', { metadata: { ownerReferences } });
  expect([refused.status, refused.text]).toEqual([
    403,
    expect.stringContaining("cannot set an ownerRef on a resource you can't delete"),
  ]);
});

test('a pod needs a policy that its writer may use', async () => {
  const rules = [
    rule('create,get pods'),
    { ...rule('use podsecuritypolicies', ['policy']), resourceNames: ['small'] },
  ];
  await services.admin.ok('POST', '/apis/policy/v1beta1/podsecuritypolicies', policy('small', {}));
  await services.admin.ok('POST', `${rbac}/clusterroles`, role('runner', ...rules));
  await services.admin.ok(
    'POST',
    `${rbac}/clusterrolebindings`,
    binding('runner', 'ClusterRole runner', 'User carl'),
  );
  await until(services.as('carl'), ['GET', `${pods}/none`], 404);
  const made = await services.as('carl').ok('POST', pods, pod('small'));
  expect(made.metadata.annotations).toMatchObject({ 'orch.io/psp': 'small' });
  const privileged = { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] };
  expect(await told(services.as('carl').post(pods, pod('large', privileged)))).toEqual([
    403,
    'pods "large" is forbidden: PodSecurityPolicy: unable to admit pod: ' +
      '[spec.containers[0].securityContext.privileged: Invalid value: true: Privileged containers are not allowed]',
  ]);
  expect((await services.admin.post(pods, pod('large', privileged))).status).toBe(201);
});

test('labels of a namespace refuse pods, and warn of workloads and of pods that are there', async () => {
  const path = '/api/v1/namespaces/levels';
  await services.admin.ok('POST', '/api/v1/namespaces', { metadata: { name: 'levels' } });
  await services.admin.ok('POST', `${path}/pods`, pod('before', { hostPID: true }));
  const label = (value: string): Promise<Answer> =>
    services.admin.patch(path, 'merge', { metadata: { labels: { 'pod-security.orch.io/enforce': value } } });
  expect((await label('strict')).status).toBe(422);
  const labelled = await label('baseline');
  expect([labelled.status, warningsOf(labelled)]).toEqual([
    200,
    expect.stringMatching(/existing pods in namespace .*levels.* violate.*before: host namespaces/),
  ]);
  expect(await told(services.admin.post(`${path}/pods`, pod('refused', { hostPID: true })))).toEqual([
    403,
    'pods "refused" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)',
  ]);
  const warn = { metadata: { labels: { 'pod-security.orch.io/warn': 'baseline' } } };
  expect((await services.admin.patch(path, 'merge', warn)).status).toBe(200);
  const spec = { ...(pod('x') as { spec: object }).spec, hostPID: true };
  const template = { metadata: { labels: { app: 'd' } }, spec };
  const made = await services.admin.post('/apis/apps/v1/namespaces/levels/deployments', {
    metadata: { name: 'd' },
    spec: { selector: { matchLabels: { app: 'd' } }, template },
  });
  expect([made.status, warningsOf(made)]).toEqual([
    201,
    expect.stringContaining('would violate PodSecurity'),
  ]);
});

function warningsOf({ headers }: Answer): string {
  return headers['warning'] ?? '';
}
